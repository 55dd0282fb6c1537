#include "cli/kubectl/job_conversion.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "cli/kubectl/conversion_remarks.h"
#include "cli/kubectl/pod_conversion.h"
#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "cluster/weighted_job_json.h"
#include "core/model/field_reader.h"
#include "core/model/manifest.h"
#include "core/model/names.h"

namespace evenkeel::cli {
namespace {

using model::FieldReader;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMaxTasks = 10'000'000;
constexpr std::int64_t kMaxRetries = 1'000;
constexpr std::int64_t kMaxDeadlineSeconds = 31'536'000;  // a year
constexpr std::int64_t kMaxTtlSeconds = 1'000'000'000;
constexpr std::int64_t kNoBackoffLimit = 2'147'483'647;  // the default beside backoffLimitPerIndex
constexpr std::size_t kGeneratedCharacters = 5;

const FieldRules& MetadataRules() {
  static const FieldRules kRules{
      {"annotations"},
      {"creationTimestamp"},
      {"deletionGracePeriodSeconds"},
      {"deletionTimestamp"},
      {"finalizers", "they are those of the Job", {json::array()}},
      {"generateName"},
      {"generation"},
      {"labels"},
      {"managedFields"},
      {"name"},
      {"namespace"},
      {"ownerReferences", "the WeightedJob is not deleted with their objects", {json::array()}},
      {"resourceVersion"},
      {"selfLink"},
      {"uid"},
  };
  return kRules;
}

const FieldRules& SpecRules() {
  static const FieldRules kRules{
      {"activeDeadlineSeconds"},
      {"backoffLimit"},
      {"backoffLimitPerIndex"},
      {"completionMode"},
      {"completions"},
      {"managedBy",
       "the operator of Evenkeel runs the WeightedJob",
       {"kubernetes.io/job-controller"}},
      {"manualSelector", "the operator selects the pods of a WeightedJob by itself", {false}},
      {"maxFailedIndexes"},
      {"parallelism"},
      {"podFailurePolicy"},
      {"podReplacementPolicy"},
      {"selector"},  // the API server has set it, unless manualSelector is there
      {"successPolicy"},
      {"suspend"},
      {"template"},
      {"ttlSecondsAfterFinished"},
  };
  return kRules;
}

class JobConverter {
 public:
  explicit JobConverter(const json& job)
      : job_(job),
        object_(job, ""),
        metadata_(object_.RequiredObject("metadata")),
        spec_(object_.RequiredObject("spec")) {
    object_.AllowUnknownFields();
    metadata_.AllowUnknownFields();
    spec_.AllowUnknownFields();
  }

  Result<JobConversion> Convert() {
    ordered_json head = ConvertMetadata();
    remarks_.AddUnconvertedFields(cluster::Child(job_, "spec"), "spec", SpecRules());
    const std::int64_t tasks = ReadTasks();
    ordered_json task_policy = ConvertTaskPolicy(tasks);
    auto pod = ConvertPodTemplate(cluster::Child(cluster::Child(job_, "spec"), "template"), tasks,
                                  remarks_);
    const ordered_json ending = ConvertEnding();
    if (const auto read = object_.Finish(); !read) return tl::unexpected(read.error());
    if (!pod) return tl::unexpected(pod.error());

    // Tasks of a Job may take as long as they like; those of a WeightedJob an hour by default.
    task_policy["timeoutSeconds"] = pod->timeout_seconds.value_or(kMaxDeadlineSeconds);
    ordered_json spec{{"workload", {{"command", std::move(pod->command)}}},
                      {"taskPolicy", std::move(task_policy)}};
    if (!pod->nodes.empty()) spec["nodes"] = std::move(pod->nodes);
    if (!pod->worker.empty()) spec["worker"] = std::move(pod->worker);
    spec.update(ending);
    ordered_json converted{{"apiVersion", model::kApiVersion},
                           {"kind", cluster::kJobKind},
                           {"metadata", std::move(head)},
                           {"spec", std::move(spec)}};
    if (const std::string wrong = WhatIsInvalid(converted); !wrong.empty()) {
      return InvalidInput("the WeightedJob would be refused: " + wrong);
    }
    return JobConversion{std::move(converted), remarks_.lines()};
  }

 private:
  ordered_json ConvertMetadata() {
    const json& source = cluster::Child(job_, "metadata");
    remarks_.AddUnconvertedFields(source, "metadata", MetadataRules());
    ordered_json head = ordered_json::object();
    const std::string name = metadata_.OptionalString("name", kMaxTextBytes, "");
    const std::string prefix = metadata_.OptionalString("generateName", kMaxTextBytes, "");
    if (name.empty() && prefix.empty()) metadata_.Fail("name", "is missing");
    if (!name.empty()) {
      CheckName("name", name, model::kMaxJobName);
      head["name"] = name;
    } else if (!prefix.empty()) {
      // With a letter in place of what the API server appends: a prefix may end with '-'.
      CheckName("generateName", prefix, model::kMaxJobName - kGeneratedCharacters);
      head["generateName"] = prefix;
    }
    const std::string namespace_name = metadata_.OptionalString("namespace", kMaxTextBytes, "");
    if (!namespace_name.empty()) head["namespace"] = namespace_name;
    for (const char* field : {"labels", "annotations"}) {
      ordered_json own = WithoutMarksOfJobs(cluster::Child(source, field));
      if (!own.empty()) head[field] = std::move(own);
    }
    return head;
  }

  void CheckName(const char* field, const std::string& name, std::size_t max_bytes) {
    const std::string whole = field == std::string("name") ? name : name + "x";
    const bool begins_well = name.front() >= 'a' && name.front() <= 'z';
    if (begins_well && name.size() <= max_bytes && model::IsDnsLabel(whole)) return;
    metadata_.Fail(field, "must be at most " + std::to_string(max_bytes) +
                              " lower-case letters, digits or '-', beginning with a letter, for a "
                              "WeightedJob, is " +
                              model::Shown(name));
  }

  std::int64_t ReadTasks() {
    const std::string mode =
        spec_.OptionalChoice("completionMode", {"Indexed", "NonIndexed"}, "NonIndexed");
    std::int64_t tasks = 1;
    if (spec_.Has("completions")) {
      tasks = spec_.RequiredInt("completions", {1, kMaxTasks});
    } else if (spec_.Has("parallelism") && spec_.Any("parallelism") != 1) {
      spec_.Fail("completions",
                 "is missing: without it the pods of a Job find their work themselves; a "
                 "WeightedJob needs the number of its tasks");
    }
    if (mode == "NonIndexed" && tasks > 1) {
      remarks_.Add("spec.completionMode",
                   "NonIndexed becomes " + std::to_string(tasks) +
                       " tasks with a JOB_COMPLETION_INDEX each; the command must do one share of "
                       "the work each time it runs");
    }
    ConvertParallelism(tasks);
    return tasks;
  }

  void ConvertParallelism(std::int64_t tasks) {
    const std::int64_t parallelism = spec_.OptionalInt("parallelism", {0, INT32_MAX}, 1);
    paused_ = parallelism == 0;
    if (paused_) {
      remarks_.Add("spec.parallelism", "0 becomes suspend: true");
    } else if (parallelism < tasks) {
      remarks_.AddUnconverted("spec.parallelism",
                              "as many tasks run at a time as the nodes have room for; "
                              "spec.nodes.maxWorkers limits the nodes, and "
                              "spec.worker.taskResources the tasks of a node");
    }
  }

  ordered_json ConvertTaskPolicy(std::int64_t tasks) {
    ordered_json policy = ordered_json::object();
    ConvertRetries(tasks, policy);
    ConvertFailurePolicy(policy);
    ConvertSuccessPolicy(policy);
    const std::string replacement = spec_.OptionalChoice(
        "podReplacementPolicy", {"TerminatingOrFailed", "Failed"}, "TerminatingOrFailed");
    // A pod is replaced only once it has ended: a task must not run twice at the same time.
    if (replacement == "Failed") policy["idempotent"] = false;
    return policy;
  }

  void ConvertRetries(std::int64_t tasks, ordered_json& policy) {
    const bool per_index = spec_.Has("backoffLimitPerIndex");
    const char* field = per_index ? "backoffLimitPerIndex" : "backoffLimit";
    if (spec_.Has(field)) {
      const std::int64_t limit = spec_.RequiredInt(field, {0, INT32_MAX});
      policy["backoffLimitPerTask"] = std::min(limit, kMaxRetries);
      if (limit > kMaxRetries) {
        remarks_.Add(std::string("spec.") + field,
                     "becomes " + std::to_string(kMaxRetries) + ", the most that is allowed");
      }
    }
    const std::int64_t of_all = spec_.OptionalInt("backoffLimit", {0, INT32_MAX}, kNoBackoffLimit);
    if (per_index && of_all != kNoBackoffLimit) {
      remarks_.AddUnconverted("spec.backoffLimit", "retries are limited for each task only");
    } else if (!per_index && spec_.Has("backoffLimit") && tasks > 1) {
      remarks_.Add("spec.backoffLimit",
                   "becomes taskPolicy.backoffLimitPerTask: it limits the retries of each task, "
                   "not of all tasks together");
    }
    if (!per_index) {
      if (spec_.Has("maxFailedIndexes")) {
        spec_.Fail("maxFailedIndexes", "is allowed with backoffLimitPerIndex only");
      }
      return;
    }
    policy["maxFailedTasks"] = spec_.OptionalInt("maxFailedIndexes", {0, INT32_MAX}, tasks);
    remarks_.Add("spec.backoffLimitPerIndex",
                 "a WeightedJob is Complete at its end even if some tasks have failed, and lists "
                 "them in status.failedIndexes; a Job is Failed then");
  }

  void ConvertFailurePolicy(ordered_json& policy) {
    FieldReader failure = spec_.OptionalObject("podFailurePolicy");
    failure.AllowUnknownFields();
    const json& rules = ObjectsIn(failure, "rules");
    std::vector<FieldReader> readers = failure.Objects("rules", kMaxListItems);
    ordered_json converted = ordered_json::array();
    for (std::size_t i = 0; i < rules.size(); ++i) {
      readers[i].AllowUnknownFields();
      const std::string path = ItemPath("spec.podFailurePolicy.rules", i);
      const std::string action =
          readers[i].RequiredChoice("action", {"FailJob", "FailIndex", "Ignore", "Count"});
      ConvertPodConditions(rules[i], path, action);
      if (!readers[i].Has("onExitCodes")) continue;
      FieldReader codes = readers[i].RequiredObject("onExitCodes");
      codes.AllowUnknownFields();
      if (!IsOfTheContainer(codes)) {
        remarks_.AddUnconverted(path, "a task has one container only");
        continue;
      }
      converted.push_back({{"action", action == "FailIndex" ? "FailTask" : action},
                           {"operator", codes.RequiredChoice("operator", {"In", "NotIn"})},
                           {"values", codes.Ints("values", 255, {0, 255})}});
    }
    if (!converted.empty()) policy["onExitCodes"] = std::move(converted);
  }

  bool IsOfTheContainer(FieldReader& codes) {
    const std::string named = codes.OptionalString("containerName", kMaxTextBytes, "");
    const json& pod =
        cluster::Child(cluster::Child(cluster::Child(job_, "spec"), "template"), "spec");
    const json& containers = cluster::Items(pod, "containers");
    return named.empty() || containers.empty() || cluster::Text(containers[0], "name") == named;
  }

  /// Pods that are evicted, preempted or lost with their node are never charged to their tasks.
  void ConvertPodConditions(const json& rule, const std::string& path, const std::string& action) {
    for (const json& condition : cluster::Items(rule, "onPodConditions")) {
      const std::string type = cluster::Text(condition, "type");
      if (type == "DisruptionTarget" && action == "Ignore") continue;
      remarks_.AddUnconverted(
          path, type == "DisruptionTarget"
                    ? "the loss of a pod or node is never charged to its tasks"
                    : "the condition " + model::ShownKey(type) +
                          " of a pod has no effect on its tasks; only exit codes have");
    }
  }

  void ConvertSuccessPolicy(ordered_json& policy) {
    static const FieldRules kRules{{"succeededIndexes"}, {"succeededCount"}};
    FieldReader success = spec_.OptionalObject("successPolicy");
    success.AllowUnknownFields();
    const json& rules = ObjectsIn(success, "rules");
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::string path = ItemPath("spec.successPolicy.rules", i);
      if (i == 0) {
        policy["successPolicy"] = remarks_.KeepConverted(rules[i], path, kRules);
      } else {
        remarks_.AddUnconverted(path, "a WeightedJob has one rule only, the first");
      }
    }
  }

  /// The fields about the end of a job, and whether it is to start at all.
  ordered_json ConvertEnding() {
    ordered_json ending = ordered_json::object();
    if (spec_.OptionalBool("suspend", false) || paused_) ending["suspend"] = true;
    if (spec_.Has("activeDeadlineSeconds")) {
      const std::int64_t seconds = spec_.RequiredInt("activeDeadlineSeconds", {1, INT64_MAX});
      ending["activeDeadlineSeconds"] = std::min(seconds, kMaxDeadlineSeconds);
      if (seconds > kMaxDeadlineSeconds) {
        remarks_.Add("spec.activeDeadlineSeconds", "becomes a year, the most that is allowed");
      }
    }
    if (spec_.Has("ttlSecondsAfterFinished")) {
      const std::int64_t seconds = spec_.RequiredInt("ttlSecondsAfterFinished", {0, INT32_MAX});
      ending["ttlSecondsAfterFinished"] = std::min(seconds, kMaxTtlSeconds);
      if (seconds > kMaxTtlSeconds) {
        remarks_.Add("spec.ttlSecondsAfterFinished",
                     "becomes " + std::to_string(kMaxTtlSeconds) + ", the most that is allowed");
      }
    }
    return ending;
  }

  /// Returns the error of the project's own reader; empty if it accepts the WeightedJob.
  static std::string WhatIsInvalid(const ordered_json& converted) {
    json object = converted;
    if (!object["metadata"].contains("name")) object["metadata"]["name"] = "generated";
    return cluster::ReadWeightedJob(object).invalid;
  }

  const json& job_;
  FieldReader object_;
  FieldReader metadata_;
  FieldReader spec_;
  ConversionRemarks remarks_;
  bool paused_ = false;  ///< parallelism is 0
};

}  // namespace

Result<JobConversion> ConvertJob(const json& job) { return JobConverter(job).Convert(); }

}  // namespace evenkeel::cli
