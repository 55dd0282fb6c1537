#include "cli/kubectl/job_conversion.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/kubectl/convert_command.h"
#include "core/model/document.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Three tasks that reverse the word of a file, without anything that calls for a remark.
const char* const kPlainJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: reverse}
spec:
  completions: 3
  parallelism: 3
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      securityContext: {runAsUser: 1000}
      containers:
      - name: main
        image: example.com/tools:1.36
        command: [rev, /words]
)";

/// The job with a JSON merge patch on it.
json Patched(const std::string& patch) {
  auto job = model::ParseDocument(kPlainJob, "job").value();
  job.merge_patch(model::ParseDocument(patch, "patch").value());
  return job;
}

/// The same with a merge patch on its pod's spec.
json PatchedPod(const std::string& patch) {
  json job = Patched("{}");
  job["spec"]["template"]["spec"].merge_patch(model::ParseDocument(patch, "patch").value());
  return job;
}

json PatchedContainer(const std::string& patch) {
  json job = Patched("{}");
  job["spec"]["template"]["spec"]["containers"][0].merge_patch(
      model::ParseDocument(patch, "patch").value());
  return job;
}

JobConversion Converted(const json& job) {
  auto conversion = ConvertJob(job);
  EXPECT_TRUE(conversion.has_value()) << conversion.error().message;
  return conversion.value_or(JobConversion{});
}

/// The value at a place of what becomes of the job; null if there is none.
ordered_json At(const JobConversion& conversion, const std::string& place) {
  const ordered_json::json_pointer pointer(place);
  return conversion.job.contains(pointer) ? conversion.job.at(pointer) : ordered_json();
}

std::string ErrorOf(const json& job) {
  const auto conversion = ConvertJob(job);
  EXPECT_FALSE(conversion.has_value()) << job;
  return conversion ? std::string() : conversion.error().message;
}

TEST(JobConversion, APlainIndexedJobHasNoRemarks) {
  const JobConversion conversion = Converted(Patched("{}"));
  EXPECT_EQ(conversion.remarks, std::vector<std::string>{});
  EXPECT_EQ(model::FormatDocument(conversion.job), R"(apiVersion: batch.evenkeel.dev/v1alpha1
kind: WeightedJob
metadata:
  name: reverse
spec:
  workload:
    command:
      image: example.com/tools:1.36
      command: [rev, /words]
      tasks: 3
  taskPolicy:
    timeoutSeconds: 31536000
  worker:
    template:
      securityContext:
        runAsUser: 1000
)");
}

TEST(JobConversion, FieldsWithACounterpart) {
  const struct {
    const char* patch;
    const char* place;
    const char* want;  // JSON
  } cases[] = {
      {"metadata: {namespace: lab}", "/metadata/namespace", R"("lab")"},
      {"metadata: {name: null, generateName: rev-}", "/metadata", R"({"generateName": "rev-"})"},
      {"metadata: {labels: {a: b, job-name: x, batch.kubernetes.io/controller-uid: y}}",
       "/metadata/labels", R"({"a": "b"})"},
      {"metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: x}}",
       "/metadata/annotations", "null"},
      {"spec: {suspend: true}", "/spec/suspend", "true"},
      {"spec: {suspend: false}", "/spec/suspend", "null"},
      {"spec: {activeDeadlineSeconds: 600}", "/spec/activeDeadlineSeconds", "600"},
      {"spec: {ttlSecondsAfterFinished: 0}", "/spec/ttlSecondsAfterFinished", "0"},
      {"spec: {podReplacementPolicy: Failed}", "/spec/taskPolicy/idempotent", "false"},
      {"spec: {podReplacementPolicy: TerminatingOrFailed}", "/spec/taskPolicy/idempotent", "null"},
      {"spec: {managedBy: kubernetes.io/job-controller}", "/spec/managedBy", "null"},
      {"spec: {selector: {matchLabels: {a: b}}, manualSelector: false}", "/spec/selector", "null"},
      {"spec: {successPolicy: {rules: [{succeededIndexes: '0,2', succeededCount: 1}]}}",
       "/spec/taskPolicy/successPolicy", R"({"succeededIndexes": "0,2", "succeededCount": 1})"},
      {"spec: {podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: "
       "[42, 43]}}, {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}, "
       "{action: FailJob, onExitCodes: {containerName: main, operator: NotIn, values: [0]}}]}}",
       "/spec/taskPolicy/onExitCodes",
       R"([{"action": "FailTask", "operator": "In", "values": [42, 43]},
           {"action": "FailJob", "operator": "NotIn", "values": [0]}])"},
      {"spec: {completions: 1, parallelism: null, backoffLimit: 4}",
       "/spec/taskPolicy/backoffLimitPerTask", "4"},
      {"status: {succeeded: 3}", "/status", "null"},
  };
  for (const auto& one : cases) {
    const JobConversion conversion = Converted(Patched(one.patch));
    EXPECT_EQ(At(conversion, one.place), ordered_json::parse(one.want)) << one.patch;
    EXPECT_EQ(conversion.remarks, std::vector<std::string>{}) << one.patch;
  }
}

TEST(JobConversion, FieldsOfThePodWithACounterpart) {
  const struct {
    const char* patch;
    const char* place;
    const char* want;  // JSON
  } cases[] = {
      {"activeDeadlineSeconds: 90", "/spec/taskPolicy/timeoutSeconds", "90"},
      {"nodeSelector: {board: pi, kubernetes.io/arch: arm64}", "/spec/nodes/selector/matchLabels",
       R"({"board": "pi", "kubernetes.io/arch": "arm64"})"},
      {"tolerations: [{key: slow, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]",
       "/spec/nodes/tolerations",
       R"([{"key": "slow", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}])"},
      {"imagePullSecrets: [{name: registry}]", "/spec/worker/template/imagePullSecrets",
       R"([{"name": "registry"}])"},
      {"{priorityClassName: low, priority: 7}", "/spec/worker/template/priorityClassName",
       R"("low")"},
      {"securityContext: {runAsNonRoot: true, runAsGroup: 2, fsGroup: 3, supplementalGroups: [4], "
       "seccompProfile: {type: RuntimeDefault}}",
       "/spec/worker/template/securityContext",
       R"({"fsGroup": 3, "runAsGroup": 2, "runAsUser": 1000, "supplementalGroups": [4]})"},
      {"{dnsPolicy: ClusterFirst, schedulerName: default-scheduler, hostNetwork: false, "
       "terminationGracePeriodSeconds: 30, serviceAccountName: default, os: {name: linux}, "
       "automountServiceAccountToken: false}",
       "/spec/nodes", "null"},
  };
  for (const auto& one : cases) {
    const JobConversion conversion = Converted(PatchedPod(one.patch));
    EXPECT_EQ(At(conversion, one.place), ordered_json::parse(one.want)) << one.patch;
    EXPECT_EQ(conversion.remarks, std::vector<std::string>{}) << one.patch;
  }
}

TEST(JobConversion, FieldsOfTheContainerWithACounterpart) {
  const struct {
    const char* patch;
    const char* place;
    const char* want;  // JSON
  } cases[] = {
      {"args: [-n, '5']", "/spec/workload/command/command", R"(["rev", "/words", "-n", "5"])"},
      {"workingDir: /data", "/spec/workload/command/workingDirectory", R"("/data")"},
      {"imagePullPolicy: Never", "/spec/worker/template/imagePullPolicy", R"("Never")"},
      {"image: tools", "/spec/worker/template/imagePullPolicy", R"("Always")"},
      {"image: 'example.com:5000/tools:latest'", "/spec/worker/template/imagePullPolicy",
       R"("Always")"},
      {"image: 'example.com:5000/tools@sha256:0123'", "/spec/worker/template/imagePullPolicy",
       "null"},
      {"securityContext: {runAsUser: 7, allowPrivilegeEscalation: false, capabilities: {drop: "
       "[ALL]}}",
       "/spec/worker/template/securityContext", R"({"runAsUser": 7})"},
      {"env: [{name: A, value: b}, {name: JOB_COMPLETION_INDEX, valueFrom: {fieldRef: {fieldPath: "
       "\"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}}, {name: C, "
       "valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}}, {name: N, valueFrom: "
       "{fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}]",
       "/spec/worker/template/env",
       R"([{"name": "A", "value": "b"},
           {"name": "C",
            "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": true}}},
           {"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}])"},
      {"{terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File, tty: false}",
       "/spec/nodes", "null"},
  };
  for (const auto& one : cases) {
    const JobConversion conversion = Converted(PatchedContainer(one.patch));
    EXPECT_EQ(At(conversion, one.place), ordered_json::parse(one.want)) << one.patch;
    EXPECT_EQ(conversion.remarks, std::vector<std::string>{}) << one.patch;
  }
}

TEST(JobConversion, FieldsThatMeanSomethingElse) {
  const struct {
    json job;
    const char* place;
    const char* want;    // JSON
    const char* remark;  // the beginning of the only one
  } cases[] = {
      {Patched("spec: {completionMode: NonIndexed}"), "/spec/workload/command/tasks", "3",
       "spec.completionMode: NonIndexed becomes 3 tasks with a JOB_COMPLETION_INDEX each"},
      {Patched("spec: {parallelism: 0}"), "/spec/suspend", "true",
       "spec.parallelism: 0 becomes suspend: true"},
      {Patched("spec: {backoffLimit: 5000}"), "/spec/taskPolicy/backoffLimitPerTask", "1000",
       "spec.backoffLimit: becomes 1000"},
      {Patched("spec: {backoffLimit: 2}"), "/spec/taskPolicy/backoffLimitPerTask", "2",
       "spec.backoffLimit: becomes taskPolicy.backoffLimitPerTask: it limits the retries of each"},
      {Patched("spec: {backoffLimitPerIndex: 1, maxFailedIndexes: 2, backoffLimit: 2147483647}"),
       "/spec/taskPolicy", R"({"backoffLimitPerTask": 1, "maxFailedTasks": 2,
                               "timeoutSeconds": 31536000})",
       "spec.backoffLimitPerIndex: a WeightedJob is Complete at its end even if some tasks"},
      {Patched("spec: {backoffLimitPerIndex: 1}"), "/spec/taskPolicy/maxFailedTasks", "3",
       "spec.backoffLimitPerIndex: "},
      {Patched("spec: {activeDeadlineSeconds: 40000000}"), "/spec/activeDeadlineSeconds",
       "31536000", "spec.activeDeadlineSeconds: becomes a year"},
      {Patched("spec: {successPolicy: {rules: [{succeededCount: 1}, {succeededIndexes: '0'}]}}"),
       "/spec/taskPolicy/successPolicy", R"({"succeededCount": 1})",
       "spec.successPolicy.rules[1]: is not converted: "},
      {PatchedContainer("resources: {requests: {cpu: 0.5, memory: 64Mi}, limits: {memory: 1Gi}}"),
       "/spec/worker/taskResources", R"({"cpu": "0.5", "memory": "1Gi"})",
       "spec.template.spec.containers[0].resources.requests.memory: is not converted: a task has"},
      {PatchedContainer("resources: {requests: {cpu: 100m}}"), "/spec/worker/taskResources",
       R"({"cpu": "100m"})",
       "spec.template.spec.containers[0].resources: becomes worker.taskResources: with so little "
       "CPU, up to 10 tasks"},
      {PatchedContainer("resources: {requests: {cpu: 0}, limits: {cpu: 2}}"),
       "/spec/worker/taskResources", R"({"cpu": 2})", ""},
      {PatchedContainer("resources: {requests: {cpu: 1}, limits: {cpu: 2}}"),
       "/spec/worker/taskResources", R"({"cpu": 1})",
       "spec.template.spec.containers[0].resources.limits.cpu: is not converted: a task may use"},
      {PatchedContainer("resources: {limits: {ephemeral-storage: 1Gi}}"), "/spec/worker/resources",
       R"({"limits": {"ephemeral-storage": "1Gi"}})",
       "spec.template.spec.containers[0].resources: ephemeral-storage holds for all tasks"},
  };
  for (const auto& one : cases) {
    const JobConversion conversion = Converted(one.job);
    EXPECT_EQ(At(conversion, one.place), ordered_json::parse(one.want)) << one.remark;
    EXPECT_TRUE(*one.remark == '\0' ||
                std::any_of(conversion.remarks.begin(), conversion.remarks.end(),
                            [&](const auto& line) { return line.starts_with(one.remark); }))
        << one.remark << " among " << json(conversion.remarks);
  }
}

TEST(JobConversion, FieldsWithoutACounterpartHaveALineEach) {
  const struct {
    json job;
    std::vector<std::string> fields;  // of the remarks
  } cases[] = {
      {Patched("spec: {parallelism: 2}"), {"spec.parallelism"}},
      {Patched("spec: {parallelism: null}"), {"spec.parallelism"}},
      {Patched("spec: {managedBy: kueue.x-k8s.io/multikueue, manualSelector: true, shiny: 1}"),
       {"spec.managedBy", "spec.manualSelector", "spec.shiny"}},
      {Patched(
           "spec: {podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: "
           "ConfigIssue, status: 'True'}]}, {action: Count, onExitCodes: {containerName: other, "
           "operator: In, values: [1]}}]}}"),
       {"spec.podFailurePolicy.rules[0]", "spec.podFailurePolicy.rules[1]"}},
      {Patched("metadata: {ownerReferences: [{kind: CronJob}], finalizers: [a/b]}"),
       {"metadata.finalizers", "metadata.ownerReferences"}},
      {PatchedPod("{hostNetwork: true, hostPID: true, serviceAccountName: robot, subdomain: s, "
                  "runtimeClassName: gvisor, restartPolicy: OnFailure, "
                  "topologySpreadConstraints: [{}]}"),
       {"spec.template.spec.hostNetwork", "spec.template.spec.hostPID",
        "spec.template.spec.runtimeClassName", "spec.template.spec.serviceAccountName",
        "spec.template.spec.subdomain", "spec.template.spec.topologySpreadConstraints",
        "spec.template.spec.restartPolicy"}},
      {PatchedPod("{affinity: {podAffinity: {}, podAntiAffinity: {}}}"),
       {"spec.template.spec.affinity.podAffinity", "spec.template.spec.affinity.podAntiAffinity"}},
      {PatchedPod("{initContainers: [{name: a}, {name: b, restartPolicy: Always}]}"),
       {"spec.template.spec.initContainers[0]", "spec.template.spec.initContainers[1]"}},
      {PatchedPod("{securityContext: {runAsUser: null}}"),
       {"spec.template.spec.securityContext.runAsUser"}},
      {PatchedPod("{securityContext: {fsGroup: 0, sysctls: [{name: a}]}}"),
       {"spec.template.spec.securityContext.sysctls",
        "spec.template.spec.securityContext.fsGroup"}},
      {PatchedContainer(
           "{livenessProbe: {}, lifecycle: {}, ports: [{containerPort: 80}], stdin: "
           "true, securityContext: {privileged: true, capabilities: {add: [NET_RAW]}}}"),
       {"spec.template.spec.containers[0].lifecycle",
        "spec.template.spec.containers[0].livenessProbe", "spec.template.spec.containers[0].ports",
        "spec.template.spec.containers[0].stdin",
        "spec.template.spec.containers[0].securityContext.capabilities",
        "spec.template.spec.containers[0].securityContext.privileged"}},
      {PatchedContainer(
           "{envFrom: [{configMapRef: {name: c}}], env: [{name: I, valueFrom: "
           "{fieldRef: {fieldPath: "
           "\"metadata.labels['batch.kubernetes.io/job-completion-index']\"}}}, {name: "
           "R, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}"),
       {"spec.template.spec.containers[0].env[0].valueFrom",
        "spec.template.spec.containers[0].env[1].valueFrom",
        "spec.template.spec.containers[0].envFrom[0]"}},
  };
  for (const auto& one : cases) {
    std::vector<std::string> fields;
    for (const std::string& line : Converted(one.job).remarks) {
      fields.push_back(line.substr(0, line.find(':')));
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    EXPECT_EQ(fields, one.fields);
  }
}

TEST(JobConversion, VolumesAndTheirMounts) {
  json job = PatchedPod(R"(volumes:
- {name: in, configMap: {name: words, defaultMode: 420, items: [{key: a, path: b}]}}
- {name: scratch, emptyDir: {sizeLimit: 1Gi}}
- {name: host, hostPath: {path: /dev}}
- name: index
  downwardAPI:
    items:
    - path: i
      fieldRef:
        fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']
- {name: spare, emptyDir: {}}
- {name: evenkeel-run, emptyDir: {}}
)");
  job["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = json::parse(R"json([
    {"name": "in", "mountPath": "/in", "readOnly": true, "mountPropagation": "None"},
    {"name": "scratch", "mountPath": "/scratch", "subPathExpr": "$(NODE)"
},
    {"name": "host", "mountPath": "/host"},
    {"name": "index", "mountPath": "/index"},
    {"name": "evenkeel-run", "mountPath": "/run"},
    {"name": "in", "mountPath": "/evenkeel/bin"}])json");
  const JobConversion conversion = Converted(job);
  EXPECT_EQ(At(conversion, "/spec/worker/template/volumes"), ordered_json::parse(R"([
    {"name": "in", "configMap": {"name": "words"}},
    {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}}])"));
  EXPECT_EQ(At(conversion, "/spec/worker/template/volumeMounts"),
            ordered_json::parse(R"([{"name": "in", "mountPath": "/in", "readOnly": true}])"));
  const std::string pod = "spec.template.spec.";
  const std::vector<std::string> want{
      pod + "volumes[0].configMap.items: is not converted: all keys become files of their names",
      pod +
          "volumes[1]: is shared by all tasks that run in the pod of a worker; name files by "
          "JOB_COMPLETION_INDEX, and remove them when a task ends",
      pod +
          "volumes[2]: is not converted: volumes of kind hostPath are not supported, only "
          "configMap, emptyDir, ephemeral, persistentVolumeClaim, secret",
      pod +
          "volumes[3]: is not converted: a file cannot hold the index of a task, because the "
          "tasks of a node share one pod; the index is in the variable JOB_COMPLETION_INDEX, and "
          "in the command if spec.workload.command.arguments lists what differs between tasks",
      pod + "volumes[4]: is not converted: the container does not mount it",
      pod +
          "volumes[5]: is not converted: names that begin with evenkeel- are those of the "
          "operator's own volumes",
      pod +
          "containers[0].volumeMounts[1]: is not converted: subPathExpr has another value for "
          "each pod; mount the whole volume, and let the command use a folder named by "
          "JOB_COMPLETION_INDEX",
      pod + "containers[0].volumeMounts[2]: is not converted: its volume is not converted",
      pod + "containers[0].volumeMounts[3]: is not converted: its volume is not converted",
      pod + "containers[0].volumeMounts[4]: is not converted: its volume is not converted",
      pod +
          "containers[0].volumeMounts[5]: is not converted: the operator has its own files in "
          "/evenkeel",
  };
  EXPECT_EQ(conversion.remarks, want);
}

TEST(JobConversion, LabelsAndAnnotationsOfThePods) {
  json job = Patched("{}");
  job["spec"]["template"]["metadata"] = json::parse(R"({
    "labels": {"team": "lab", "app.kubernetes.io/name": "web", "job-name": "reverse"},
    "annotations": {"example.com/note": "a b"}})");
  const JobConversion conversion = Converted(job);
  EXPECT_EQ(At(conversion, "/spec/worker/template/labels"), ordered_json({{"team", "lab"}}));
  EXPECT_EQ(At(conversion, "/spec/worker/template/annotations"),
            ordered_json({{"example.com/note", "a b"}}));
  EXPECT_EQ(conversion.remarks,
            std::vector<std::string>{
                "spec.template.metadata.labels.app.kubernetes.io/name: is not converted: keys of "
                "this domain are the operator's and Kubernetes' own"});
}

TEST(JobConversion, RequiredNodeAffinity) {
  const JobConversion conversion = Converted(PatchedPod(R"(affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions: [{key: ram-mib, operator: Gt, values: ["1500"]}]
      - matchFields: [{key: metadata.name, operator: In, values: [big]}]
    preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {}}]
)"));
  EXPECT_EQ(At(conversion, "/spec/worker/template/affinity"), ordered_json::parse(R"({
    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "ram-mib", "operator": "Gt", "values": ["1500"]}]},
      {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["big"]}]}]}}})"));
  ASSERT_EQ(conversion.remarks.size(), 1U);
  EXPECT_TRUE(conversion.remarks[0].starts_with(
      "spec.template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution: "
      "is not converted: weights of nodes"));
}

TEST(JobConversion, ExtendedResourcesAndEphemeralVolumes) {
  json job = PatchedPod(R"(volumes:
- name: scratch
  ephemeral:
    volumeClaimTemplate:
      metadata: {labels: {a: b}}
      spec: {resources: {requests: {storage: 10Gi}}, accessModes: [ReadWriteOnce], selector: {}}
- name: device
  ephemeral: {volumeClaimTemplate: {spec: {volumeMode: Block}}}
)");
  json& container = job["spec"]["template"]["spec"]["containers"][0];
  container["volumeMounts"] = json::parse(R"([{"name": "scratch", "mountPath": "/scratch"},
                                              {"name": "device", "mountPath": "/device"}])");
  container["resources"]["limits"] = {{"nvidia.com/gpu", 1}, {"tpu", 2}};
  const JobConversion conversion = Converted(job);
  EXPECT_EQ(At(conversion, "/spec/worker/taskResources"), ordered_json({{"nvidia.com/gpu", 1}}));
  EXPECT_EQ(At(conversion, "/spec/worker/template/volumes"), ordered_json::parse(R"([
    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {
      "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}}}}])"));
  std::vector<std::string> fields;
  for (const std::string& line : conversion.remarks)
    fields.push_back(line.substr(19, line.find(": ") - 19));
  const std::string claim = "volumes[0].ephemeral.volumeClaimTemplate.";
  EXPECT_EQ(fields, (std::vector<std::string>{"containers[0].resources.limits.tpu",
                                              claim + "metadata", claim + "spec.selector",
                                              "volumes[1]", "containers[0].volumeMounts[1]"}));
}

TEST(JobConversion, ReferencesInWordsAreReplacedAsTheKubeletDoes) {
  const std::string env =
      "env: [{name: A, value: x}, {name: B, value: '$(A)y'}, {name: C, valueFrom: {secretKeyRef: "
      "{name: s, key: k}}}]";
  JobConversion conversion =
      Converted(PatchedContainer("{command: [echo, '$(B)$$(A)$(NONE)'], " + env + "}"));
  EXPECT_EQ(At(conversion, "/spec/workload/command/command"),
            (ordered_json{"echo", "xy$(A)$(NONE)"}));
  EXPECT_EQ(At(conversion, "/spec/worker/template/env/1/value"), "$(A)y");  // the pod replaces it
  EXPECT_EQ(conversion.remarks, std::vector<std::string>{});

  conversion = Converted(PatchedContainer("{command: [echo, '$(C)'], " + env + "}"));
  EXPECT_EQ(conversion.remarks,
            std::vector<std::string>{"spec.template.spec.containers[0].command: is not converted: "
                                     "$(C) is not replaced by a value that comes from the cluster; "
                                     "let the command read the variable C"});
}

TEST(JobConversion, TheIndexInTheCommandBecomesTheArgument) {
  JobConversion conversion =
      Converted(PatchedContainer("args: ['--part=$(JOB_COMPLETION_INDEX)/3']"));
  EXPECT_EQ(At(conversion, "/spec/workload/command"),
            ordered_json::parse(R"({"image": "example.com/tools:1.36",
                                    "command": ["rev", "/words", "--part={}/3"],
                                    "arguments": ["0", "1", "2"]})"));
  EXPECT_EQ(conversion.remarks, std::vector<std::string>{});

  conversion = Converted(PatchedContainer("args: ['$(JOB_COMPLETION_INDEX)', '{}']"));
  EXPECT_EQ(At(conversion, "/spec/workload/command/tasks"), 3);
  ASSERT_EQ(conversion.remarks.size(), 1U);
  EXPECT_NE(conversion.remarks[0].find("because the command has the word {}"), std::string::npos);

  conversion = Converted(PatchedContainer(
      "{args: ['$(JOB_COMPLETION_INDEX)', '$(A)'], env: [{name: A, value: 'x{}'}]}"));
  EXPECT_EQ(At(conversion, "/spec/workload/command/tasks"), 3);

  json job = PatchedContainer("args: ['$(JOB_COMPLETION_INDEX)']");
  job["spec"]["completions"] = job["spec"]["parallelism"] = 10'001;
  conversion = Converted(job);
  EXPECT_EQ(At(conversion, "/spec/workload/command/tasks"), 10'001);
  ASSERT_EQ(conversion.remarks.size(), 1U);
  EXPECT_NE(conversion.remarks[0].find("10001 arguments are too many"), std::string::npos);
}

TEST(JobConversion, WhatCannotBecomeAWeightedJobIsRefused) {
  const struct {
    json job;
    const char* want;  // beginning of the error
  } cases[] = {
      {Patched("metadata: {name: null}"), "metadata.name: is missing"},
      {Patched("metadata: {name: 1st}"), "metadata.name: must be at most 50 lower-case letters"},
      {Patched("metadata: {name: a.b}"), "metadata.name: must be at most 50 lower-case letters"},
      {Patched("spec: null"), "spec: is missing, must be an object"},
      {Patched("spec: {completions: 0}"), "spec.completions: must be a whole number from 1"},
      {Patched("spec: {completions: null}"),
       "spec.completions: is missing: without it the pods of a Job find their work themselves"},
      {Patched("spec: {completionMode: Striped}"), "spec.completionMode: must be one of Indexed"},
      {Patched("spec: {maxFailedIndexes: 1}"),
       "spec.maxFailedIndexes: is allowed with backoffLimitPerIndex only"},
      {Patched("spec: {template: null}"), "spec.template: must be an object, is null"},
      {Patched("spec: {template: {spec: null}}"), "spec.template.spec: is missing"},
      {PatchedPod("containers: []"),
       "spec.template.spec.containers: must be one container, which becomes the command, but there "
       "are 0"},
      {PatchedPod("containers: [{name: a}, {name: b}]"),
       "spec.template.spec.containers: must be one container, which becomes the command, but there "
       "are 2"},
      {PatchedPod("containers: 7"), "spec.template.spec.containers: must be a list"},
      {PatchedContainer("command: null"),
       "spec.template.spec.containers[0].command: is missing: a WeightedJob does not run the entry "
       "point of an image; write the words"},
      {PatchedContainer("command: [7]"),
       "spec.template.spec.containers[0].command[0]: must be text"},
      {PatchedContainer("image: null"), "spec.template.spec.containers[0].image: is missing"},
      {PatchedContainer("env: [{name: A, value: 7}]"),
       "the WeightedJob would be refused: spec.worker.template.env[0].value: must be text"},
      {PatchedPod("nodeSelector: [a]"), "spec.template.spec.nodeSelector: must be an object"},
  };
  for (const auto& one : cases) {
    const std::string error = ErrorOf(one.job);
    EXPECT_TRUE(error.starts_with(one.want)) << error << "\nwanted: " << one.want;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(ConvertManifests, SeveralDocumentsAndLists) {
  const std::string job = kPlainJob;
  const auto several = ConvertManifests(job + "---\n---" + job, "jobs.yaml");
  ASSERT_TRUE(several.has_value()) << several.error().message;
  EXPECT_EQ(several->size(), 2U);

  const json item = Patched("{}");
  json bare = item;
  bare.erase("kind");
  bare.erase("apiVersion");
  const json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array({item, item})}};
  const json typed{{"apiVersion", "batch/v1"}, {"kind", "JobList"}, {"items", json::array({bare})}};
  EXPECT_EQ(ConvertManifests(list.dump(), "-").value().size(), 2U);
  EXPECT_EQ(ConvertManifests(typed.dump(), "-").value().size(), 1U);
}

TEST(ConvertManifests, EverythingElseIsRefusedWithALineEach) {
  const auto error = [](const std::string& text) {
    const auto converted = ConvertManifests(text, "f.yaml");
    EXPECT_FALSE(converted.has_value()) << text;
    return converted ? std::string() : converted.error().message;
  };
  EXPECT_EQ(error(""), "f.yaml: has no Job");
  EXPECT_EQ(error("---\n---\n"), "f.yaml: has no Job");
  EXPECT_EQ(error("{apiVersion: v1, kind: List, items: []}"), "f.yaml: has no Job");
  EXPECT_EQ(error("7"),
            "f.yaml: must be a Job of batch/v1, or a List of them, is an object without kind");
  EXPECT_EQ(error(std::string(kPlainJob) +
                  "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: words}}\n---\n"
                  "{apiVersion: batch/v1, kind: CronJob}\n"),
            "f.yaml: document 2: must be a Job of batch/v1, or a List of them, is ConfigMap words "
            "of v1\n"
            "f.yaml: document 3: must be a Job of batch/v1, or a List of them, is CronJob of "
            "batch/v1");
  EXPECT_EQ(error("{apiVersion: v1, kind: List, items: [{apiVersion: batch/v1, kind: Job, "
                  "metadata: {name: a}}]}"),
            "f.yaml: items[0]: Job a: spec: is missing, must be an object");
  EXPECT_TRUE(error("a: [1").starts_with("f.yaml: line 1: is not YAML: "));
}

}  // namespace
}  // namespace evenkeel::cli
