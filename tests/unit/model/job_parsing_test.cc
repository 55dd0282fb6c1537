#include "core/model/job_parsing.h"

#include <gtest/gtest.h>

#include "core/model/document.h"
#include "core/model/names.h"

namespace evenkeel::model {
namespace {

constexpr const char* kHead =
    "apiVersion: batch.evenkeel.dev/v1alpha1\nkind: WeightedJob\nmetadata: {name: primes}\n";
constexpr const char* kPrimes = "  workload: {primes: {method: Sieve, end: 300000}}\n";

std::string JobWith(const std::string& spec_lines) {
  return std::string(kHead) + "spec:\n" + kPrimes + spec_lines;
}

std::string JobErrorOf(const std::string& text) {
  const auto job = ParseJob(text, "job.yaml");
  EXPECT_FALSE(job.has_value()) << text;
  if (job) return {};
  EXPECT_EQ(job.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(job.error().message.find('\n'), std::string::npos);
  return job.error().message;
}

TEST(ParseJob, DefaultsAreThoseOfTheSpec) {
  const auto job = ParseJob(JobWith(""), "job.yaml");
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(job->name, "primes");
  EXPECT_EQ(job->workload, "primes");
  EXPECT_EQ(job->workload_parameters, R"({"end":300000,"method":"Sieve"})");
  EXPECT_EQ(job->profile, "primes");
  EXPECT_EQ(job->weighting.policy, "default");
  EXPECT_EQ(job->weighting.mode, WeightingMode::kAuto);
  EXPECT_EQ(job->balancing.strategy, StrategyName::kTailStealing);
  EXPECT_TRUE(job->balancing.tail_stealing.stealing);
  EXPECT_EQ(job->balancing.lease, std::chrono::seconds(10));
  EXPECT_EQ(job->task_policy.backoff_limit_per_task, 3);
  EXPECT_EQ(job->task_policy.timeout, std::chrono::seconds(3600));
  EXPECT_EQ(job->max_workers, 32);
  EXPECT_FALSE(job->active_deadline.has_value());
  EXPECT_FALSE(job->suspend);
}

TEST(ParseJob, ReadsEveryField) {
  const auto job = ParseJob(R"(
apiVersion: batch.evenkeel.dev/v1alpha1
kind: WeightedJob
metadata:
  name: all-fields
  namespace: default
  labels: {app: x}
  annotations: {note: "y"}
  uid: 0f
  creationTimestamp: null
  managedFields: [{manager: kubectl}]
spec:
  workload: {command: {image: busybox, tasks: 3}}
  profile: other
  weighting: {policy: paper, mode: Explicit, weights: {pi4-a: 5, pi3: 0.5}}
  balancing: {strategy: ModifiedMasterSlave, leaseSeconds: 2.5,
              modifiedMasterSlave: {chunkTasks: 7, dedicatedCoordinator: true}}
  taskPolicy:
    backoffLimitPerTask: 1
    maxFailedTasks: 2
    timeoutSeconds: 60
    idempotent: false
    verify: "0%"
    onExitCodes: [{action: FailJob, operator: In, values: [42]}]
    successPolicy: {succeededCount: 5, succeededIndexes: "0-4"}
  nodes:
    selector: {matchLabels: {board: pi}}
    tolerations:
    - {key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}
    maxWorkers: 4
  worker:
    resources: {requests: {cpu: 1, memory: 64Mi}, limits: {memory: 1Gi}}
    template:
      env: [{name: A, value: b}]
      volumes: [{name: v, emptyDir: {}}]
      volumeMounts: [{name: v, mountPath: /v}]
      imagePullSecrets: [{name: s}]
      imagePullPolicy: Never
      priorityClassName: low
      securityContext: {runAsUser: 1000}
  inputs: {persistentVolumeClaim: in}
  resultStorage: {persistentVolumeClaim: out}
  suspend: true
  activeDeadlineSeconds: 7200
  ttlSecondsAfterFinished: 600
  after: [extract, load-2]
status: {progress: "63%"}
)",
                            "job.yaml");
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(job->profile, "other");
  EXPECT_EQ(job->weighting.mode, WeightingMode::kExplicit);
  EXPECT_EQ(job->weighting.explicit_weights,
            (std::map<std::string, double>{{"pi4-a", 5}, {"pi3", 0.5}}));
  EXPECT_EQ(job->balancing.strategy, StrategyName::kModifiedMasterSlave);
  EXPECT_EQ(job->balancing.modified_master_slave.chunk_tasks, 7);
  EXPECT_TRUE(job->balancing.modified_master_slave.dedicated_coordinator);
  EXPECT_EQ(job->balancing.master_slave.chunk_tasks, 1);
  EXPECT_EQ(job->balancing.lease, std::chrono::milliseconds(2500));
  EXPECT_EQ(job->task_policy.max_failed_tasks, 2);
  ASSERT_EQ(job->task_policy.on_exit_codes.size(), 1u);
  EXPECT_EQ(job->task_policy.ActionOn(42), ExitCodeRule::Action::kFailJob);
  EXPECT_EQ(job->task_policy.ActionOn(41), ExitCodeRule::Action::kCount);
  EXPECT_EQ(job->task_policy.success.succeeded_count, 5);
  EXPECT_EQ(job->task_policy.success.succeeded_indexes, RangeSet(IndexRange{0, 5}));
  EXPECT_FALSE(job->task_policy.idempotent);
  EXPECT_EQ(job->node_selector, (std::map<std::string, std::string>{{"board", "pi"}}));
  EXPECT_EQ(job->max_workers, 4);
  EXPECT_TRUE(job->suspend);
  EXPECT_EQ(job->active_deadline, std::chrono::seconds(7200));
  EXPECT_EQ(job->after, (std::vector<std::string>{"extract", "load-2"}));
}

TEST(ParseJob, JobsToWaitForAreOtherJobs) {
  EXPECT_EQ(JobErrorOf(JobWith("  after: []\n")),
            "job.yaml: spec.after: must be a list of 1 to 32 names of jobs, is []");
  EXPECT_EQ(JobErrorOf(JobWith("  after: extract\n")),
            "job.yaml: spec.after: must be a list of at most 32, is \"extract\"");
  EXPECT_EQ(JobErrorOf(JobWith("  after: [extract, primes]\n")),
            "job.yaml: spec.after[1]: must not name the job itself, is \"primes\"");
  EXPECT_EQ(JobErrorOf(JobWith("  after: [extract, load, extract]\n")),
            "job.yaml: spec.after[2]: must not name a job twice, is \"extract\"");
  for (const char* name : {"''", "7up", "Extract", "a.b", "a-"}) {
    const std::string error = JobErrorOf(JobWith(std::string("  after: [") + name + "]\n"));
    EXPECT_TRUE(error.starts_with("job.yaml: spec.after[0]: must be 1 to 50 lower-case letters,"))
        << error;
  }
  EXPECT_NE(JobErrorOf(JobWith("  after: [" + std::string(51, 'a') + "]\n")), "");
  std::string many;
  for (int i = 0; i < 33; ++i) many += (i > 0 ? ", j" : "j") + std::to_string(i);
  EXPECT_NE(JobErrorOf(JobWith("  after: [" + many + "]\n")), "");
}

TEST(ParseJob, ARerunNamesAnEarlierJobAndItsTasks) {
  const auto failed = ParseJob(JobWith("  rerun: {job: first, failed: true}\n"), "job.yaml");
  ASSERT_TRUE(failed) << failed.error().message;
  EXPECT_EQ(failed->rerun->job, "first");
  EXPECT_EQ(ToString(failed->rerun->tasks), "failed");
  const auto some = ParseJob(JobWith("  rerun: {job: first, indexes: '7-9,3'}\n"), "job.yaml");
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(ToString(some->rerun->tasks), "3,7-9");

  const auto error = [](const std::string& fields) {
    return JobErrorOf(JobWith("  rerun: {" + fields + "}\n"));
  };
  const std::string one_of = "job.yaml: spec.rerun: must have exactly one of failed: true, indexes";
  EXPECT_EQ(error("job: first"), one_of);
  EXPECT_EQ(error("job: first, failed: false"), one_of);
  EXPECT_EQ(error("job: first, failed: true, indexes: '3'"), one_of);
  EXPECT_TRUE(error("failed: true").starts_with("job.yaml: spec.rerun.job: "))
      << error("failed: true");
  EXPECT_EQ(error("job: primes, failed: true"),
            "job.yaml: spec.rerun.job: must not name the job itself, is \"primes\"");
  EXPECT_EQ(error("job: first, indexes: '3,7-9,8'"),
            "job.yaml: spec.rerun.indexes: must name each task once, names 8 twice");
  EXPECT_EQ(error("job: first, indexes: '9-7'"),
            "job.yaml: spec.rerun.indexes: must be indexes and ranges of them such as 3,7-9, is "
            "\"9-7\"");
  EXPECT_TRUE(
      error("job: First, failed: true").starts_with("job.yaml: spec.rerun.job: must be 1 to"));
  EXPECT_EQ(JobErrorOf(JobWith("  after: [a, first]\n  rerun: {job: first, failed: true}\n")),
            "job.yaml: spec.rerun.job: must not be in spec.after, is \"first\"");
  EXPECT_EQ(JobErrorOf(JobWith("  taskPolicy: {successPolicy: {succeededCount: 2}}\n"
                               "  rerun: {job: first, failed: true}\n")),
            "job.yaml: spec.rerun: must be absent with taskPolicy.successPolicy, because such a "
            "job is complete without the tasks that run again");
}

TEST(CheckRerun, IndexesAreThoseOfTheJob) {
  const RerunSelection last{RangeSet(IndexRange{11, 12})};
  EXPECT_TRUE(CheckRerun(last, {}, 12, "--indexes"));
  const auto outside = CheckRerun(last, {}, 11, "--indexes");
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().message, "--indexes: must be below 11, is 11 (the job has 11 tasks)");
  EXPECT_TRUE(CheckRerun({}, {}, 1, "--indexes"));
  TaskPolicy policy;
  policy.success.succeeded_count = 3;
  const auto early = CheckRerun({}, policy, 12, "--indexes");
  ASSERT_FALSE(early);
  EXPECT_TRUE(early.error().message.starts_with("spec.taskPolicy.successPolicy: must be absent"));
}

TEST(ReadJob, ReadsADocumentLikeItsText) {
  const auto document = ParseDocument(JobWith("  nodes: {maxWorkers: 3}\n"), "job.yaml");
  ASSERT_TRUE(document.has_value());
  const auto job = ReadJob(*document);
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(job->max_workers, 3);
  const auto error = ReadJob(nlohmann::json::object());
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(error.error().message, "apiVersion: is missing, must be batch.evenkeel.dev/v1alpha1");
}

TEST(ParseJob, AProfileOfACommandIsTheJobsName) {
  const auto job = ParseJob(std::string(kHead) + "spec: {workload: {command: {}}}\n", "job.yaml");
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(job->profile, "primes");
}

TEST(ParseJob, ReadsHowEnergyCounts) {
  const auto job = ParseJob(
      JobWith("  balancing: {objective: Energy, energy: {timeFactor: 1.25, idlePower: Counted, "
              "standingWatts: 4.5}}\n"),
      "job.yaml");
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(job->balancing.objective, Objective::kEnergy);
  EXPECT_EQ(job->balancing.energy.time_factor, 1.25);
  EXPECT_EQ(job->balancing.energy.idle_power, IdlePower::kCounted);
  EXPECT_EQ(job->balancing.energy.standing_watts, 4.5);
  const auto least = ParseJob(JobWith("  balancing: {objective: Energy}\n"), "job.yaml");
  ASSERT_TRUE(least.has_value()) << least.error().message;
  EXPECT_EQ(least->balancing.energy.time_factor, 1.5);
  EXPECT_EQ(least->balancing.energy.idle_power, IdlePower::kIgnored);
}

TEST(ParseJob, BadInputIsOneLineThatNamesFileAndField) {
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {strategy: Foo}\n")),
            "job.yaml: spec.balancing.strategy: must be one of TailStealing, DomainDecomposition, "
            "MasterSlave, ModifiedMasterSlave, AdaptiveIterative, Compensated, Interleaved, is "
            "\"Foo\"");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {leaseSeconds: 0}\n")),
            "job.yaml: spec.balancing.leaseSeconds: must be a number from 0.1 to 3600, is 0");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {objective: Speed}\n")),
            "job.yaml: spec.balancing.objective: must be one of Time, Energy, is \"Speed\"");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {objective: Energy, strategy: MasterSlave}\n")),
            "job.yaml: spec.balancing.objective: Energy needs strategy TailStealing, is with "
            "MasterSlave");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {energy: {timeFactor: 2}}\n")),
            "job.yaml: spec.balancing.energy.timeFactor: is allowed with objective Energy only");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {objective: Energy, energy: {timeFactor: 0.9}}\n")),
            "job.yaml: spec.balancing.energy.timeFactor: must be a number from 1 to 1000, is 0.9");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {energy: {idlePower: None}}\n")),
            "job.yaml: spec.balancing.energy.idlePower: must be one of Ignored, Counted, is "
            "\"None\"");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {energy: {standingWatts: -1}}\n")),
            "job.yaml: spec.balancing.energy.standingWatts: must be a number from 0 to 100000, is "
            "-1");
  EXPECT_EQ(JobErrorOf(JobWith("  nodes: {maxWorkers: -1}\n")),
            "job.yaml: spec.nodes.maxWorkers: must be a whole number from 1 to 10000, is -1");
  EXPECT_EQ(JobErrorOf(JobWith("  taskPolicy: {timeoutSeconds: 1e300}\n")),
            "job.yaml: spec.taskPolicy.timeoutSeconds: must be a number above 0, at most 31536000, "
            "is 1e+300");
  EXPECT_EQ(JobErrorOf(JobWith("  suspend: 'yes'\n")),
            "job.yaml: spec.suspend: must be true or false, is \"yes\"");
  EXPECT_EQ(JobErrorOf(JobWith("  nodes: {selector: {matchLabel: {}}}\n")),
            "job.yaml: spec.nodes.selector.matchLabel: unknown field, known are matchLabels");
  EXPECT_EQ(JobErrorOf(JobWith("  worker: {resources: {limits: {memory: lots}}}\n")),
            "job.yaml: spec.worker.resources.limits.memory: must be a quantity such as 4, 3800m, "
            "1884Ki or 2Gi, is \"lots\"");
  EXPECT_EQ(JobErrorOf(JobWith("  weighting: {mode: Explicit}\n")),
            "job.yaml: spec.weighting.weights: is missing, mode Explicit needs a number for each "
            "node");
  EXPECT_EQ(JobErrorOf(JobWith("  weighting: {mode: Explicit, weights: {a: 0}}\n")),
            "job.yaml: spec.weighting.weights.a: must be a number above 0, at most 1000000, is 0");
  EXPECT_EQ(JobErrorOf(JobWith("  suspend: true\n  suspend: true\n")),
            "job.yaml: line 7: duplicate key suspend");
}

TEST(ParseJob, LabelsAndAnnotationsOfPodsAreNotThoseOfOthers) {
  const auto error = [](const std::string& marks) {
    return JobErrorOf(JobWith("  worker: {template: {" + marks + "}}\n"));
  };
  const std::string path = "job.yaml: spec.worker.template.";
  for (const char* key : {"evenkeel.dev/weight", "app.kubernetes.io/name", "kubernetes.io/arch",
                          "x.y.k8s.io/z", "prometheus.io/scrape"}) {
    EXPECT_EQ(error("labels: {" + std::string(key) + ": '1'}"),
              path + "labels." + key +
                  ": the key must not be of evenkeel.dev, k8s.io, kubernetes.io, prometheus.io or "
                  "a domain below them, which the operator and Kubernetes use");
  }
  EXPECT_TRUE(error("annotations: {a/b/c: x}")
                  .starts_with(path + "annotations.a/b/c: the key must be a name of 1 to 63"));
  EXPECT_TRUE(error("labels: {a: 'b c'}")
                  .starts_with(path + "labels.a: must be empty or 1 to 63 letters, digits"));
  const auto job = ParseJob(JobWith("  worker: {template: {labels: {team: '', notkubernetes.io/a: "
                                    "b}, annotations: {example.com/a: 'b c'}}}\n"),
                            "job.yaml");
  EXPECT_TRUE(job.has_value()) << job.error().message;
}

TEST(ParseJob, ReadsTheRequiredNodeAffinity) {
  const auto job = ParseJob(JobWith(R"(
  worker:
    template:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions: [{key: ram-mib, operator: Gt, values: ["1500"]}]
              matchFields: [{key: metadata.name, operator: NotIn, values: [old]}]
            - matchExpressions: [{key: fast, operator: Exists}]
)"),
                            "job.yaml");
  ASSERT_TRUE(job.has_value()) << job.error().message;
  using Operator = NodeRequirement::Operator;
  const NodeAffinity want{{{{{"ram-mib", Operator::kGreaterThan, {"1500"}}},
                            {{"metadata.name", Operator::kNotIn, {"old"}}}},
                           {{{"fast", Operator::kExists, {}}}, {}}}};
  EXPECT_EQ(job->node_affinity, want);
}

TEST(ParseJob, ExtendedResourcesAreWholeAndTheirRequestIsTheirLimit) {
  const auto error = [](const std::string& resources) {
    return JobErrorOf(JobWith("  worker: {resources: {" + resources + "}}\n"));
  };
  const std::string path = "job.yaml: spec.worker.resources.";
  EXPECT_EQ(error("requests: {gpu: 1}"),
            path +
                "requests.gpu: is no resource, must be cpu, memory, ephemeral-storage, an "
                "extended resource such as nvidia.com/gpu, or huge pages such as hugepages-2Mi");
  EXPECT_TRUE(error("limits: {kubernetes.io/batch: 1}")
                  .starts_with(path + "limits.kubernetes.io/batch: is no resource"));
  EXPECT_EQ(error("limits: {nvidia.com/gpu: 500m}"),
            path + "limits.nvidia.com/gpu: must be a whole number, is \"500m\"");
  EXPECT_EQ(error("requests: {nvidia.com/gpu: 1}"),
            path +
                "requests.nvidia.com/gpu: must be equal to limits.nvidia.com/gpu, which is "
                "missing");
  EXPECT_EQ(error("requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}"),
            path + "requests.nvidia.com/gpu: must be equal to limits.nvidia.com/gpu, is 1");
  EXPECT_EQ(error("limits: 7"), path + "limits: must be an object of at most 16, is 7");
  const auto job =
      ParseJob(JobWith("  worker: {resources: {requests: {hugepages-2Mi: 64Mi}, limits: "
                       "{nvidia.com/gpu: '2', hugepages-2Mi: 67108864}}}\n"),
               "job.yaml");
  EXPECT_TRUE(job.has_value()) << job.error().message;
}

TEST(ParseJob, TheClaimForTheCacheOfANodeIsNamedByATemplate) {
  const auto job = [](const std::string& claim) {
    return JobWith("  worker: {fileCacheClaim: " + claim + "}\n");
  };
  for (const std::string good : {"a", "'files-{node}'", "'{node}'", "'{node}.{node}-x.y'"}) {
    EXPECT_TRUE(ParseJob(job(good), "job.yaml")) << good;
  }
  const std::string field = "job.yaml: spec.worker.fileCacheClaim: ";
  const std::string name =
      "must be 1 to 253 lower-case letters, digits, '-' or '.', with a letter "
      "or digit at both ends, where {node} stands for the name of the node, ";
  EXPECT_EQ(JobErrorOf(job("''")), field + "must be text of 1 to 253 bytes, is \"\"");
  EXPECT_EQ(JobErrorOf(job("[a]")), field + "must be text of 1 to 253 bytes, is a list");
  EXPECT_EQ(JobErrorOf(job("'Files-{node}'")), field + name + "is \"Files-{node}\"");
  EXPECT_EQ(JobErrorOf(job("'{node}-'")), field + name + "is \"{node}-\"");
  for (const std::string bad : {"files-{nodes}", "{{node}}", "a{", "{}", "{Node}"}) {
    EXPECT_EQ(JobErrorOf(job("'" + bad + "'")),
              field + "must have no placeholder but {node}, is \"" + bad + "\"");
  }
  EXPECT_TRUE(
      JobErrorOf(job(std::string(254, 'a'))).starts_with(field + "must be text of 1 to 253"));
}

TEST(NameForNode, ReplacesEachPlaceholder) {
  EXPECT_EQ(NameForNode("files-{node}", "pi4.local"), "files-pi4.local");
  EXPECT_EQ(NameForNode("{node}-{node}", "{node}"), "{node}-{node}");
  EXPECT_EQ(NameForNode("shared", "pi4"), "shared");
  EXPECT_EQ(NameForNode("", "pi4"), "");
}

TEST(ParseJob, FieldsOfAPodThatAJobMayNotSetAreRefusedByName) {
  const auto error = [](const std::string& field) {
    return JobErrorOf(JobWith("  worker: {template: {" + field + "}}\n"));
  };
  const std::string path = "job.yaml: spec.worker.template.";
  EXPECT_TRUE(error("hostNetwork: true")
                  .starts_with(path + "hostNetwork: is not allowed: the restricted pod security "
                                      "level forbids it; allowed are "));
  EXPECT_TRUE(error("initContainers: []")
                  .starts_with(path + "initContainers: is not allowed: nothing runs before"));
  EXPECT_TRUE(error("nodeSelector: {a: b}")
                  .starts_with(path + "nodeSelector: is not allowed: use spec.nodes.selector; "));
  EXPECT_TRUE(error("shiny: 1").starts_with(path + "shiny: unknown field, known are labels, "));
  EXPECT_EQ(error("volumes: [{name: v, hostPath: {path: /}}]"),
            path +
                "volumes[0].hostPath: is not allowed, allowed are configMap, secret, emptyDir, "
                "persistentVolumeClaim, ephemeral");
  EXPECT_EQ(error("volumes: [{name: v}]"),
            path +
                "volumes[0]: must have exactly one of configMap, secret, emptyDir, "
                "persistentVolumeClaim, ephemeral");
  EXPECT_TRUE(error("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: "
                    "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {}}}}}]")
                  .starts_with(path + "volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: "
                                      "unknown field, known are accessModes, "));
  EXPECT_EQ(error("securityContext: {privileged: true}"),
            path +
                "securityContext.privileged: is not allowed by the restricted pod security, "
                "allowed are runAsUser, runAsGroup, fsGroup, fsGroupChangePolicy, "
                "supplementalGroups");
}

TEST(ParseJob, SuccessPoliciesThatCannotBeAreRefused) {
  const auto error = [](const std::string& policy) {
    return JobErrorOf(JobWith("  taskPolicy: {successPolicy: {" + policy + "}}\n"));
  };
  const std::string path = "job.yaml: spec.taskPolicy.successPolicy.";
  EXPECT_EQ(error("succeededIndexes: 4-1"),
            path +
                "succeededIndexes: must be indexes and ranges of them such as 0-4,7, is "
                "\"4-1\"");
  EXPECT_EQ(error("succeededIndexes: '0-2', succeededCount: 4"),
            path + "succeededCount: must be at most 3, the number of succeededIndexes, is 4");

  SuccessPolicy policy;
  policy.succeeded_indexes = RangeSet(IndexRange{0, 10});
  EXPECT_TRUE(CheckSuccessPolicy(policy, 10));
  EXPECT_EQ(CheckSuccessPolicy(policy, 9).error().message,
            "spec.taskPolicy.successPolicy.succeededIndexes: must be below 9, is 9 (the job has 9 "
            "tasks)");
  policy = {{}, 11};
  EXPECT_EQ(CheckSuccessPolicy(policy, 10).error().message,
            "spec.taskPolicy.successPolicy.succeededCount: must be at most 10, is 11 (the job has "
            "10 tasks)");
}

TEST(ParseJob, WantsExactlyOneWorkload) {
  const std::string head(kHead);
  const std::string want =
      "job.yaml: spec.workload: must be an object with exactly one workload, is ";
  EXPECT_EQ(JobErrorOf(head + "spec: {workload: {primes: {}, synthetic: {}}}\n"),
            want + "primes, synthetic");
  EXPECT_EQ(JobErrorOf(head + "spec: {workload: {}}\n"), want + "none");
  EXPECT_EQ(JobErrorOf(head + "spec: {}\n"), want + "null");
  EXPECT_EQ(JobErrorOf(head + "spec: {workload: {primes: 3}}\n"),
            "job.yaml: spec.workload.primes: must be an object, is 3");
}

TEST(ParseJob, AWorkloadOfOnesOwnStandsBelowCustom) {
  const std::string head(kHead);
  const auto job = ParseJob(
      head + "spec: {workload: {custom: {rows: {width: 3, deep: [{a: 1}]}}}}\n", "job.yaml");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->workload, "custom.rows");
  EXPECT_EQ(job->workload_parameters, R"({"deep":[{"a":1}],"width":3})");
  EXPECT_EQ(job->profile, "custom.rows");

  const auto error = [&](const std::string& custom) {
    return JobErrorOf(head + "spec: {workload: {custom: " + custom + "}}\n");
  };
  const std::string path = "job.yaml: spec.workload.custom";
  EXPECT_EQ(error("{}"), path + ": must be an object with exactly one workload, is none");
  EXPECT_EQ(error("{a: {}, b: {}}"),
            path + ": must be an object with exactly one workload, is a, b");
  EXPECT_EQ(error("7"), path + ": must be an object with exactly one workload, is 7");
  EXPECT_EQ(error("{a: 7}"), path + ".a: must be an object of at most 256 parameters, is 7");
  for (const std::string name : {"Rows", "my-rows", "9rows"}) {
    EXPECT_EQ(error("{" + name + ": {}}"),
              path +
                  ": must name a workload by a lower-case letter and then letters or digits, at "
                  "most 56 in all, names " +
                  name);
  }
  EXPECT_NE(error("{" + std::string(57, 'a') + ": {}}"), "");
  const std::string longest = "{custom: {" + std::string(56, 'a') + ": {}}}";
  EXPECT_TRUE(ParseJob(head + "spec: {workload: " + longest + "}\n", "job.yaml"));
}

TEST(ParseJob, ChecksTheHead) {
  EXPECT_EQ(JobErrorOf(""), "job.yaml: the document: must be an object, is null");
  EXPECT_EQ(JobErrorOf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n"),
            "job.yaml: apiVersion: must be batch.evenkeel.dev/v1alpha1, is \"batch/v1\"");
  EXPECT_EQ(JobErrorOf("apiVersion: batch.evenkeel.dev/v1alpha1\nkind: WeightedJob\n"
                       "metadata: {name: Not_A_Label}\nspec: {workload: {primes: {}}}\n"),
            "job.yaml: metadata.name: must be 1 to 63 lower-case letters, digits or '-', with a "
            "letter or digit at both ends, is \"Not_A_Label\"");
}

TEST(JobParsing, OptionsOfAStrategyAreMembersOfTheirOwn) {
  const auto options = ParseJob(
      JobWith("  balancing: {tailStealing: {stealing: Disabled, speculation: Disabled, credit: "
              "Disabled}}\n"),
      "job.yaml");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_FALSE(options->balancing.tail_stealing.stealing);
  EXPECT_EQ(options->balancing.tail_stealing.speculation, Speculation::kDisabled);
  EXPECT_FALSE(options->balancing.tail_stealing.credit);
  const auto energy = ParseJob(JobWith("  balancing: {objective: Energy}\n"), "job.yaml");
  ASSERT_TRUE(energy) << energy.error().message;
  EXPECT_EQ(energy->balancing.tail_stealing.speculation, Speculation::kBounded);
  const auto rounds =
      ParseJob(JobWith("  balancing: {strategy: AdaptiveIterative, "
                       "adaptiveIterative: {rounds: 3, communication: Disabled}}\n"),
               "job.yaml");
  ASSERT_TRUE(rounds) << rounds.error().message;
  EXPECT_EQ(rounds->balancing.adaptive_iterative.rounds, 3);
  EXPECT_FALSE(rounds->balancing.adaptive_iterative.communication);
}

TEST(JobParsing, OnlyTheOptionsOfTheChosenStrategyAreAllowed) {
  const std::pair<const char*, const char*> members[] = {
      {"tailStealing", "TailStealing"},
      {"masterSlave", "MasterSlave"},
      {"modifiedMasterSlave", "ModifiedMasterSlave"},
      {"adaptiveIterative", "AdaptiveIterative"},
      {"compensated", "Compensated"}};
  for (const auto& [member, strategy] : members) {
    EXPECT_EQ(JobErrorOf(JobWith(std::string("  balancing: {strategy: Interleaved, ") + member +
                                 ": {}}\n")),
              std::string("job.yaml: spec.balancing.") + member + ": is allowed with strategy " +
                  strategy + " only");
    EXPECT_TRUE(ParseJob(
        JobWith(std::string("  balancing: {strategy: ") + strategy + ", " + member + ": {}}\n"),
        "job.yaml"));
  }
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {compensated: {}}\n")),
            "job.yaml: spec.balancing.compensated: is allowed with strategy Compensated only");
}

TEST(JobParsing, AMemberThatMovedIsNamedWithItsNewPlace) {
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {stealing: Disabled}\n")),
            "job.yaml: spec.balancing.stealing: is now tailStealing.stealing");
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {strategy: MasterSlave, chunkTasks: 5}\n")),
            "job.yaml: spec.balancing.chunkTasks: is now masterSlave.chunkTasks and "
            "modifiedMasterSlave.chunkTasks");
}

TEST(JobParsing, CompensationIsReadAsItStands) {
  const auto job =
      ParseJob(JobWith("  balancing: {strategy: Compensated, compensated: {compensation: First, "
                       "compensationFactor: 0.5, sendsTo: All, transferTasksPerSecond: 100}}\n"),
               "job.yaml");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->balancing.strategy, StrategyName::kCompensated);
  EXPECT_EQ(job->balancing.compensated.compensation, Compensation::kFirst);
  EXPECT_EQ(job->balancing.compensated.compensation_factor, 0.5);
  EXPECT_TRUE(job->balancing.compensated.sends_to_all);
  EXPECT_EQ(job->balancing.compensated.transfer_rate, 100);
  EXPECT_EQ(JobErrorOf(JobWith("  balancing: {strategy: Compensated, compensated: {compensation: "
                               "Fourth}}\n")),
            "job.yaml: spec.balancing.compensated.compensation: must be one of None, First, "
            "Second, Third, is "
            "\"Fourth\"");
}

TEST(ParsePercentage, ReadsUpToThreeDecimals) {
  EXPECT_EQ(ParsePercentage("1%"), 1000);
  EXPECT_EQ(ParsePercentage("0.25%"), 250);
  EXPECT_EQ(ParsePercentage("0.001%"), 1);
  EXPECT_EQ(ParsePercentage("12.5%"), 12'500);
  EXPECT_EQ(ParsePercentage("0%"), 0);
  EXPECT_EQ(ParsePercentage("100%"), kWholeJob);
  EXPECT_EQ(ParsePercentage("100.000%"), kWholeJob);
  for (const char* text : {"", "%", "1", "1 %", "-1%", "+1%", "1e1%", ".5%", "1.%", "0.0001%",
                           "100.001%", "101%", "1000%", "1%%", "1,5%", "0x1%"}) {
    EXPECT_FALSE(ParsePercentage(text)) << text;
  }
}

TEST(CheckVerifiedShare, AtMostAHundredThousandTasksAreDrawn) {
  TaskPolicy policy;
  policy.verified_share = 1000;
  EXPECT_TRUE(CheckVerifiedShare(policy, 10'000'000));
  EXPECT_TRUE(CheckVerifiedShare(policy, 0));
  const auto checked = CheckVerifiedShare(policy, 1'000'000'000'000);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "spec.taskPolicy.verify: must draw at most 100000 tasks, draws 10000000000 of "
            "1000000000000");
}

}  // namespace
}  // namespace evenkeel::model
