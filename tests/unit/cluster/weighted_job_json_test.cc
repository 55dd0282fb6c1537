#include "cluster/weighted_job_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

json JobObject() {
  return json::parse(R"({
    "apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
    "metadata": {"name": "primes", "namespace": "lab", "uid": "u-1", "generation": 3,
                 "resourceVersion": "77", "creationTimestamp": "2026-03-01T09:30:05Z",
                 "annotations": {"a": "b"}, "managedFields": [{}], "fieldFromTheFuture": 1},
    "spec": {
      "workload": {"primes": {"end": 300000}},
      "nodes": {"selector": {"matchLabels": {"pool": "x"}},
                "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute",
                                 "tolerationSeconds": 5}], "maxWorkers": 7},
      "worker": {"resources": {"requests": {"cpu": 2}, "limits": {"memory": "1Gi"}},
                 "template": {"env": [{"name": "A", "value": "b"}], "priorityClassName": "low",
                              "imagePullPolicy": "Always",
                              "labels": {"team": "lab"}, "annotations": {"example.com/a": "b c"},
                              "volumes": [{"name": "v", "emptyDir": {}}],
                              "volumeMounts": [{"name": "v", "mountPath": "/v"}],
                              "imagePullSecrets": [{"name": "s"}],
                              "securityContext": {"runAsUser": 1000}}},
      "inputs": {"configMap": "files"},
      "resultStorage": {"persistentVolumeClaim": "out"},
      "activeDeadlineSeconds": 60, "ttlSecondsAfterFinished": 600, "suspend": true,
      "after": ["extract"]},
    "status": {"observedGeneration": 2, "progress": "63%"}})");
}

TEST(ReadWeightedJob, ReadsAllThatMatters) {
  const WeightedJob job = ReadWeightedJob(JobObject());
  EXPECT_EQ(job.invalid, "");
  EXPECT_EQ(job.meta.name, "primes");
  EXPECT_EQ(job.meta.namespace_name, "lab");
  EXPECT_EQ(job.meta.uid, "u-1");
  EXPECT_EQ(job.meta.generation, 3);
  EXPECT_EQ(job.meta.resource_version, "77");
  EXPECT_EQ(platform::FormatTimestamp(job.meta.created), "2026-03-01T09:30:05Z");
  EXPECT_FALSE(job.meta.deleted.has_value());
  EXPECT_EQ(job.spec.workload, "primes");
  EXPECT_EQ(job.spec.max_workers, 7);
  EXPECT_EQ(job.spec.active_deadline, std::chrono::seconds(60));
  EXPECT_EQ(job.tolerations, (std::vector<Toleration>{{"k", "Exists", "", "NoExecute", 5}}));
  EXPECT_EQ(job.resources.requests.at("cpu"), "2");
  EXPECT_EQ(job.resources.requests.at("memory"), "64Mi");
  EXPECT_EQ(job.resources.limits.at("memory"), "1Gi");
  EXPECT_EQ(job.worker.env, R"([{"name":"A","value":"b"}])");
  EXPECT_EQ(job.worker.labels, (std::map<std::string, std::string>{{"team", "lab"}}));
  EXPECT_EQ(job.worker.annotations, (std::map<std::string, std::string>{{"example.com/a", "b c"}}));
  EXPECT_EQ(job.worker.priority_class_name, "low");
  EXPECT_EQ(job.worker.image_pull_policy, "Always");
  EXPECT_EQ(job.worker.security_context, R"({"runAsUser":1000})");
  EXPECT_EQ(job.inputs.config_map, "files");
  EXPECT_EQ(job.result_claim, "out");
  EXPECT_EQ(job.ttl, std::chrono::seconds(600));
  EXPECT_TRUE(job.suspend);
  EXPECT_EQ(job.spec.after, std::vector<std::string>{"extract"});
  EXPECT_EQ(job.status.progress, "63%");
  EXPECT_EQ(job.status.observed_generation, 2);
}

TEST(ReadWeightedJob, TheCoordinatorIsToldWhatIsNotTheOperatorsAlone) {
  const json manifest = json::parse(ReadWeightedJob(JobObject()).manifest);
  EXPECT_EQ(manifest["kind"], "WeightedJob");
  EXPECT_EQ(manifest["metadata"], json({{"name", "primes"}}));
  EXPECT_EQ(manifest["spec"]["workload"]["primes"]["end"], 300000);
  EXPECT_EQ(manifest["spec"]["nodes"]["maxWorkers"], 7);
  for (const char* field :
       {"suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished", "after"}) {
    EXPECT_FALSE(manifest["spec"].contains(field)) << field;
  }
  EXPECT_FALSE(manifest.contains("status"));
}

struct InvalidCase {
  const char* pointer;
  const char* value;
  const char* want;
};

TEST(ReadWeightedJob, WhatIsWrongIsOneLineThatNamesTheField) {
  const InvalidCase cases[] = {
      {"/spec/nodes/maxWorkers", "0",
       "spec.nodes.maxWorkers: must be a whole number from 1 to 10000, is 0"},
      {"/spec/unknown", "1", "spec.unknown: unknown field, known are "},
      {"/spec/workload/synthetic", "{}",
       "spec.workload: must be an object with exactly one workload, is primes, synthetic"},
      {"/metadata/name", "\"x01234567890123456789012345678901234567890123456789\"",
       "metadata.name: must be at most 50 characters, has 51"},
      {"/metadata/name", "\"1primes\"", "metadata.name: must begin with a lower-case letter"},
      {"/spec/worker/template/volumes/0", R"({"name": "v", "hostPath": {"path": "/"}})",
       "spec.worker.template.volumes[0].hostPath: is not allowed, allowed are configMap, "},
      {"/spec/worker/template/volumes/0/name", "\"evenkeel-tls\"",
       "spec.worker.template.volumes[0].name: must not begin with \"evenkeel-\""},
      {"/spec/worker/template/volumeMounts/0/mountPath", "\"/etc/evenkeel/tls\"",
       "spec.worker.template.volumeMounts[0].mountPath: must not be in /etc/evenkeel, which is "
       "taken"},
      {"/spec/worker/template/volumeMounts/0/mountPath", "\"/evenkeel\"",
       "spec.worker.template.volumeMounts[0].mountPath: must not be in /evenkeel, which is taken"},
      {"/spec/worker/template/volumeMounts/0/mountPath", "\"/inputs\"",
       "spec.worker.template.volumeMounts[0].mountPath: must not be in /inputs, which is taken"},
      {"/spec/worker/template/securityContext/privileged", "true",
       "spec.worker.template.securityContext.privileged: is not allowed by the restricted pod "
       "security, allowed are runAsUser"},
  };
  for (const InvalidCase& one : cases) {
    json object = JobObject();
    object[json::json_pointer(one.pointer)] = json::parse(one.value);
    const WeightedJob job = ReadWeightedJob(object);
    EXPECT_TRUE(job.invalid.starts_with(one.want)) << one.pointer << "\n" << job.invalid;
    EXPECT_EQ(job.invalid.find('\n'), std::string::npos);
    EXPECT_FALSE(job.meta.name.empty());
  }
}

TEST(ReadWeightedJob, AnInvalidObjectDoesNotAffectOthers) {
  for (const char* text :
       {"null", "[]", "3", "{}", R"({"metadata": 5, "spec": [], "status": "x"})",
        R"({"metadata": {"name": 7, "generation": "x", "creationTimestamp": "now"},
            "spec": {"workload": null, "nodes": 3, "worker": {"template": []}},
            "status": {"workers": {}, "conditions": [1, null], "tasks": []}})",
        R"({"spec": {"ttlSecondsAfterFinished": 9223372036854775807}})",
        R"({"metadata": {"generation": 18446744073709551615}})"}) {
    const WeightedJob job = ReadWeightedJob(json::parse(text));
    EXPECT_FALSE(job.invalid.empty()) << text;
  }
}

TEST(ReadWeightedJob, RefusesJobsThatTheCoordinatorCannotGetBeforeTheyStart) {
  json object = JobObject();
  const json arguments(10'000, std::string(96, 'x'));
  object["spec"]["workload"] = {
      {"command", {{"image", "tool:1"}, {"command", {"x"}}, {"arguments", arguments}}}};
  EXPECT_EQ(ReadWeightedJob(object).too_large, "");
  object["spec"]["workload"]["command"]["arguments"][0] = std::string(20'000, 'x');
  const WeightedJob job = ReadWeightedJob(object);
  EXPECT_EQ(job.invalid, "") << "it may be one that runs and has grown";
  EXPECT_TRUE(job.too_large.starts_with("spec: takes 10")) << job.too_large;
  EXPECT_NE(job.too_large.find("at most 1000000 can be handed"), std::string::npos);
}

TEST(ReadWeightedJob, AnyWorkloadMayNameAnImageForItsTasks) {
  json object = JobObject();
  EXPECT_EQ(ReadWeightedJob(object).task_image, "");
  object["spec"]["workload"] = {{"command", {{"image", "tool:1"}, {"command", {"x"}}}}};
  EXPECT_EQ(ReadWeightedJob(object).task_image, "tool:1");
}

TEST(ReadWeightedJob, AJobMayLearnItsCosts) {
  json object = JobObject();
  EXPECT_FALSE(ReadWeightedJob(object).learns_costs);
  object["spec"]["workload"] = {
      {"command", {{"image", "tool:1"}, {"command", {"x"}}, {"cost", {{"learned", true}}}}}};
  EXPECT_TRUE(ReadWeightedJob(object).learns_costs);
  object["spec"]["workload"]["command"]["cost"] = {{"list", {1}}};
  EXPECT_FALSE(ReadWeightedJob(object).learns_costs);
}

TEST(ReadWeightedJob, AJobMayHaveAReduceCommand) {
  json object = JobObject();
  EXPECT_FALSE(ReadWeightedJob(object).has_reduce);
  object["spec"]["workload"] = {
      {"command", {{"image", "tool:1"}, {"command", {"x"}}, {"reduce", {"plot"}}}}};
  EXPECT_TRUE(ReadWeightedJob(object).has_reduce);
}

TEST(ReadWeightedJob, TasksMayHaveFiles) {
  json object = JobObject();
  EXPECT_FALSE(ReadWeightedJob(object).has_files);
  EXPECT_EQ(ReadWeightedJob(object).spec.file_storage_bytes, 10LL << 30);
  for (const char* field : {"inputs", "outputs"}) {
    json& command = object["spec"]["workload"] = {
        {"command", {{"image", "tool:1"}, {"command", {"x"}}, {field, json::array()}}}};
    EXPECT_FALSE(ReadWeightedJob(object).has_files) << field;
    command["command"][field].push_back("a");
    EXPECT_TRUE(ReadWeightedJob(object).has_files) << field;
  }
  object["spec"]["worker"]["fileStorageLimit"] = "50Gi";
  EXPECT_EQ(ReadWeightedJob(object).spec.file_storage_bytes, 50LL << 30);
  EXPECT_EQ(ReadWeightedJob(object).spec.file_cache_claim, "");
  object["spec"]["worker"]["fileCacheClaim"] = "files-{node}";
  EXPECT_EQ(ReadWeightedJob(object).spec.file_cache_claim, "files-{node}");
  object["spec"]["worker"]["fileCacheClaim"] = "files-{nodes}";
  EXPECT_EQ(ReadWeightedJob(object).invalid,
            "spec.worker.fileCacheClaim: must have no placeholder but {node}, is "
            "\"files-{nodes}\"");
}

TEST(ReadWeightedJob, AJobMayBringProgramsOfItsOwn) {
  json object = JobObject();
  EXPECT_EQ(ReadWeightedJob(object).worker_image, "");
  object["spec"]["workload"] = {{"custom", {{"rows", {{"image", "picture.png"}}}}}};
  object["spec"]["worker"]["image"] = "example.com/rows:1";
  const WeightedJob job = ReadWeightedJob(object);
  EXPECT_EQ(job.invalid, "");
  EXPECT_EQ(job.spec.workload, "custom.rows");
  EXPECT_EQ(job.worker_image, "example.com/rows:1");
  EXPECT_EQ(job.task_image, "");  // that one is a parameter of the workload's
}

TEST(ReadWeightedJob, AMountAtInputsIsFineWithoutInputs) {
  json object = JobObject();
  object["spec"].erase("inputs");
  object["spec"]["worker"]["template"]["volumeMounts"][0]["mountPath"] = "/inputs";
  EXPECT_EQ(ReadWeightedJob(object).invalid, "");
}

}  // namespace
}  // namespace evenkeel::cluster
