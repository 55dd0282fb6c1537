#include "core/model/job_parsing.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/model/cluster_sections.h"
#include "core/model/document.h"
#include "core/model/field_reader.h"
#include "core/model/manifest.h"
#include "core/model/names.h"
#include "core/model/task_policy.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;
using Action = ExitCodeRule::Action;

constexpr std::int64_t kMaxSeconds = 31'536'000;  // a year
constexpr std::int64_t kMaxTasks = 1'000'000'000'000;
constexpr std::size_t kMaxIndexesBytes = 64 * 1024;
constexpr std::size_t kMaxNodes = 10'000;
constexpr double kMaxTimeFactor = 1000;
constexpr double kMaxWatts = 100'000;

Action ActionOf(const std::string& text) {
  if (text == "FailJob") return Action::kFailJob;
  if (text == "FailTask") return Action::kFailTask;
  return text == "Ignore" ? Action::kIgnore : Action::kCount;
}

void ReadRules(FieldReader& fields, TaskPolicy& policy) {
  for (FieldReader& rule : fields.Objects("onExitCodes", 20)) {
    ExitCodeRule read;
    read.action =
        ActionOf(rule.RequiredChoice("action", {"FailJob", "FailTask", "Ignore", "Count"}));
    read.in = rule.OptionalChoice("operator", {"In", "NotIn"}, "In") == "In";
    for (const std::int64_t code : rule.Ints("values", 255, {0, 255})) {
      read.codes.push_back(static_cast<std::int32_t>(code));
    }
    if (read.codes.empty()) rule.Fail("values", "must be a list of at least 1 exit code");
    policy.on_exit_codes.push_back(std::move(read));
  }
}

void ReadSuccess(FieldReader fields, SuccessPolicy& success) {
  const std::string text = fields.OptionalString("succeededIndexes", kMaxIndexesBytes, "");
  if (!text.empty()) {
    success.succeeded_indexes = ParseIndexString(text);
    if (!success.succeeded_indexes) {
      fields.Fail("succeededIndexes",
                  "must be indexes and ranges of them such as 0-4,7, is " + Shown(text));
    }
  }
  if (fields.Has("succeededCount")) {
    success.succeeded_count = fields.RequiredInt("succeededCount", {1, INT64_MAX});
  }
  fields.Any("succeededCount");
  if (!success.succeeded_indexes || !success.succeeded_count) return;
  const std::int64_t listed = success.succeeded_indexes->Size();
  if (*success.succeeded_count > listed) {
    fields.Fail("succeededCount", "must be at most " + std::to_string(listed) +
                                      ", the number of succeededIndexes, is " +
                                      std::to_string(*success.succeeded_count));
  }
}

void ReadVerifiedShare(FieldReader& fields, TaskPolicy& policy) {
  constexpr std::size_t kMaxBytes = 16;
  const std::string text = fields.OptionalString("verify", kMaxBytes, "0%");
  const auto share = ParsePercentage(text);
  if (!share) {
    fields.Fail("verify", "must be a percentage such as 1% or 0.25%, is " + Shown(text));
  } else if (*share > 0 && !policy.idempotent) {
    fields.Fail("verify", "must be absent if idempotent is false, is " + Shown(text));
  } else {
    policy.verified_share = *share;
  }
}

/// Reads spec.taskPolicy; errors are reported to `fields`.
void ReadTaskPolicy(FieldReader fields, TaskPolicy& policy) {
  policy.backoff_limit_per_task = static_cast<std::int32_t>(
      fields.OptionalInt("backoffLimitPerTask", {0, 1000}, policy.backoff_limit_per_task));
  policy.max_failed_tasks = fields.OptionalInt("maxFailedTasks", {0, kMaxTasks}, 0);
  policy.timeout = FromSeconds(
      fields.OptionalNumber("timeoutSeconds", {0, kMaxSeconds, true}, ToSeconds(policy.timeout)));
  policy.idempotent = fields.OptionalBool("idempotent", policy.idempotent);
  ReadVerifiedShare(fields, policy);
  ReadRules(fields, policy);
  ReadSuccess(fields.OptionalObject("successPolicy"), policy.success);
}

/// Whether the value is an object with one field, which is named after a workload.
bool HasOneWorkload(FieldReader& spec, const std::string& field, const json& value) {
  if (value.is_object() && value.size() == 1) return true;
  std::string found = value.is_object() && value.empty() ? "none" : Shown(value);
  if (value.is_object() && !value.empty()) {
    found.clear();
    for (const auto& [name, parameters] : value.items()) {
      found += (found.empty() ? "" : ", ") + ShownKey(name);
    }
  }
  spec.Fail(field, "must be an object with exactly one workload, is " + found);
  return false;
}

/// Below spec.workload.custom things are as they are below spec.workload, and the schema of the CRD
/// knows none of it.
void ReadCustomWorkload(FieldReader& spec, const json& custom, JobSpec& job) {
  constexpr std::size_t kMaxParameters = 256;
  const std::string field = "workload." + std::string(kCustomWorkload);
  if (!HasOneWorkload(spec, field, custom)) return;
  const std::string& name = custom.begin().key();
  const json& parameters = custom.begin().value();
  if (!IsWorkloadName(name)) {
    spec.Fail(field,
              "must name a workload by a lower-case letter and then letters or digits, at "
              "most 56 in all, names " +
                  ShownKey(name));
  } else if (!parameters.is_object() || parameters.size() > kMaxParameters) {
    spec.Fail(field + "." + name, "must be an object of at most " + std::to_string(kMaxParameters) +
                                      " parameters, is " + Shown(parameters));
  }
  job.workload = std::string(kCustomPrefix) + name;
  job.workload_parameters = parameters.dump();
}

/// spec.workload has one field, named after the workload.
void ReadWorkload(FieldReader& spec, JobSpec& job) {
  const json& workload = spec.Any("workload");
  if (!HasOneWorkload(spec, "workload", workload)) return;
  job.workload = workload.begin().key();
  const json& parameters = workload.begin().value();
  if (job.workload == kCustomWorkload) return ReadCustomWorkload(spec, parameters, job);
  if (!parameters.is_object()) {
    spec.Fail("workload." + ShownKey(job.workload), "must be an object, is " + Shown(parameters));
    return;
  }
  job.workload_parameters = parameters.dump();
}

void ReadProfile(FieldReader& spec, JobSpec& job) {
  // A command may be anything, so its rates are remembered by job, not for all commands together.
  const std::string usual = job.workload == kCommandWorkload ? job.name : job.workload;
  job.profile = spec.Has("profile") ? spec.RequiredString("profile", 63) : usual;
  if (spec.Has("profile") && !IsLabelValue(job.profile)) {
    spec.Fail("profile", "must be " + kAllowedLabelValue + ", is " + Shown(job.profile));
  }
  spec.Any("profile");
}

WeightingMode ModeOf(const std::string& text) {
  if (text == "Fuzzy") return WeightingMode::kFuzzy;
  if (text == "Measured") return WeightingMode::kMeasured;
  if (text == "Explicit") return WeightingMode::kExplicit;
  if (text == "Equal") return WeightingMode::kEqual;
  return WeightingMode::kAuto;
}

void ReadWeighting(FieldReader weighting, WeightingSpec& spec) {
  spec.policy = weighting.OptionalString("policy", 253, spec.policy);
  if (!IsDnsSubdomain(spec.policy)) {
    weighting.Fail("policy", "must be " + kAllowedDnsSubdomain + ", is " + Shown(spec.policy));
  }
  spec.mode = ModeOf(
      weighting.OptionalChoice("mode", {"Auto", "Fuzzy", "Measured", "Explicit", "Equal"}, "Auto"));
  spec.explicit_weights = weighting.NumberMap("weights", kMaxNodes, {0, 1e6, true});
  if (spec.mode == WeightingMode::kExplicit && spec.explicit_weights.empty()) {
    weighting.Fail("weights", "is missing, mode Explicit needs a number for each node");
  }
  if (spec.mode != WeightingMode::kExplicit && !spec.explicit_weights.empty()) {
    weighting.Fail("weights", "is allowed with mode Explicit only");
  }
}

bool ReadSwitch(FieldReader& fields, const std::string& field, bool usual) {
  const std::string fallback = usual ? "Enabled" : "Disabled";
  return fields.OptionalChoice(field, {"Enabled", "Disabled"}, fallback) == "Enabled";
}

void ReadEnergy(FieldReader energy, const BalancingSpec& balancing, EnergySpec& spec) {
  spec.time_factor = energy.OptionalNumber("timeFactor", {1, kMaxTimeFactor}, spec.time_factor);
  if (energy.Has("timeFactor") && balancing.objective != Objective::kEnergy) {
    energy.Fail("timeFactor", "is allowed with objective Energy only");
  }
  const std::string idle = energy.OptionalChoice("idlePower", {"Ignored", "Counted"}, "Ignored");
  spec.idle_power = idle == "Counted" ? IdlePower::kCounted : IdlePower::kIgnored;
  spec.standing_watts = energy.OptionalNumber("standingWatts", {0, kMaxWatts}, spec.standing_watts);
}

void ReadObjective(FieldReader& balancing, BalancingSpec& spec) {
  const std::string objective = balancing.OptionalChoice("objective", {"Time", "Energy"}, "Time");
  spec.objective = objective == "Energy" ? Objective::kEnergy : Objective::kTime;
  if (spec.objective == Objective::kEnergy && spec.strategy != StrategyName::kTailStealing) {
    balancing.Fail("objective",
                   "Energy needs strategy TailStealing, is with " + ToString(spec.strategy));
  }
  ReadEnergy(balancing.OptionalObject("energy"), spec, spec.energy);
}

void ReadTailStealing(FieldReader options, Objective objective, TailStealingOptions& spec) {
  spec.stealing = ReadSwitch(options, "stealing", spec.stealing);
  const std::vector<std::string> names{"Disabled", "Bounded", "WhenIdle"};  // as in the enum
  const char* usual = objective == Objective::kEnergy ? "Bounded" : "WhenIdle";
  const std::string chosen = options.OptionalChoice("speculation", names, usual);
  spec.speculation =
      static_cast<Speculation>(std::find(names.begin(), names.end(), chosen) - names.begin());
  spec.credit = ReadSwitch(options, "credit", spec.credit);
}

void ReadMasterSlave(FieldReader options, MasterSlaveOptions& spec) {
  spec.chunk_tasks = options.OptionalInt("chunkTasks", {1, kMaxTasks}, spec.chunk_tasks);
  spec.dedicated_coordinator =
      options.OptionalBool("dedicatedCoordinator", spec.dedicated_coordinator);
}

void ReadAdaptiveIterative(FieldReader options, AdaptiveIterativeOptions& spec) {
  spec.rounds =
      static_cast<std::int32_t>(options.OptionalInt("rounds", {1, 1'000'000}, spec.rounds));
  spec.communication = ReadSwitch(options, "communication", spec.communication);
}

void ReadCompensated(FieldReader options, CompensatedOptions& spec) {
  const std::vector<std::string> names{"None", "First", "Second", "Third"};  // as in the enum
  const std::string chosen = options.OptionalChoice(
      "compensation", names, names[static_cast<std::size_t>(spec.compensation)]);
  const auto at = std::find(names.begin(), names.end(), chosen) - names.begin();
  spec.compensation = static_cast<Compensation>(at);
  if (options.Has("compensationFactor")) {
    spec.compensation_factor = options.RequiredNumber("compensationFactor", {0, 1});
  }
  options.Any("compensationFactor");
  const std::string receivers = options.OptionalChoice("sendsTo", {"Neighbours", "All"},
                                                       spec.sends_to_all ? "All" : "Neighbours");
  spec.sends_to_all = receivers == "All";
  spec.transfer_rate =
      options.OptionalNumber("transferTasksPerSecond", {0, 1e9}, spec.transfer_rate);
}

/// The strategies that have options, with the member of spec.balancing that holds them.
constexpr std::pair<StrategyName, const char*> kOptionMembers[] = {
    {StrategyName::kTailStealing, "tailStealing"},
    {StrategyName::kMasterSlave, "masterSlave"},
    {StrategyName::kModifiedMasterSlave, "modifiedMasterSlave"},
    {StrategyName::kAdaptiveIterative, "adaptiveIterative"},
    {StrategyName::kCompensated, "compensated"},
};

/// Members of earlier versions, and the member that took the place of each.
constexpr std::pair<const char*, const char*> kMovedMembers[] = {
    {"stealing", "tailStealing.stealing"},
    {"speculation", "tailStealing.speculation"},
    {"credit", "tailStealing.credit"},
    {"rounds", "adaptiveIterative.rounds"},
    {"communication", "adaptiveIterative.communication"},
    {"compensation", "compensated.compensation"},
    {"compensationFactor", "compensated.compensationFactor"},
    {"sendsTo", "compensated.sendsTo"},
    {"transferTasksPerSecond", "compensated.transferTasksPerSecond"},
    {"chunkTasks", "masterSlave.chunkTasks and modifiedMasterSlave.chunkTasks"},
    {"dedicatedCoordinator",
     "masterSlave.dedicatedCoordinator and modifiedMasterSlave.dedicatedCoordinator"},
};

}  // namespace

void ReadBalancing(FieldReader balancing, BalancingSpec& spec) {
  std::vector<std::string> strategies;
  for (const StrategyName name : AllStrategies()) strategies.push_back(ToString(name));
  const std::string strategy =
      balancing.OptionalChoice("strategy", strategies, ToString(spec.strategy));
  spec.strategy = ParseStrategyName(strategy).value_or(spec.strategy);
  for (const auto& [owner, member] : kOptionMembers) {
    if (owner == spec.strategy || !balancing.Has(member)) continue;
    balancing.Fail(member, "is allowed with strategy " + ToString(owner) + " only");
  }
  ReadBalancingOptions(balancing, spec);
}

void ReadBalancingOptions(FieldReader balancing, BalancingSpec& spec) {
  for (const auto& [before, now] : kMovedMembers) {
    if (balancing.Has(before)) balancing.Fail(before, std::string("is now ") + now);
  }
  spec.lease =
      FromSeconds(balancing.OptionalNumber("leaseSeconds", {0.1, 3600}, ToSeconds(spec.lease)));
  ReadObjective(balancing, spec);
  ReadTailStealing(balancing.OptionalObject("tailStealing"), spec.objective, spec.tail_stealing);
  ReadMasterSlave(balancing.OptionalObject("masterSlave"), spec.master_slave);
  ReadMasterSlave(balancing.OptionalObject("modifiedMasterSlave"), spec.modified_master_slave);
  ReadAdaptiveIterative(balancing.OptionalObject("adaptiveIterative"), spec.adaptive_iterative);
  ReadCompensated(balancing.OptionalObject("compensated"), spec.compensated);
}

namespace {

void ReadNodes(FieldReader nodes, JobSpec& job) {
  FieldReader selector = nodes.OptionalObject("selector");
  job.node_selector = selector.StringMap("matchLabels", 64, 63);
  CheckTolerations(nodes);
  job.max_workers =
      static_cast<std::int32_t>(nodes.OptionalInt("maxWorkers", {1, kMaxNodes}, job.max_workers));
}

void ReadAfter(FieldReader& spec, JobSpec& job) {
  constexpr std::size_t kMaxJobs = 32;
  job.after = spec.Strings("after", kMaxJobs, kMaxJobName);
  if (spec.Has("after") && job.after.empty()) {
    spec.Fail("after",
              "must be a list of 1 to " + std::to_string(kMaxJobs) + " names of jobs, is []");
  }
  for (auto name = job.after.begin(); name != job.after.end(); ++name) {
    const std::string field = "after[" + std::to_string(name - job.after.begin()) + "]";
    if (!IsJobName(*name)) {
      spec.Fail(field, "must be " + kAllowedJobName + ", is " + Shown(*name));
    } else if (*name == job.name) {
      spec.Fail(field, "must not name the job itself, is " + Shown(*name));
    } else if (std::find(job.after.begin(), name, *name) != name) {
      spec.Fail(field, "must not name a job twice, is " + Shown(*name));
    }
  }
}

void ReadRerun(FieldReader& spec, JobSpec& job) {
  spec.Any("rerun");
  if (!spec.Has("rerun")) return;
  if (job.task_policy.success.Any()) {
    spec.Fail("rerun",
              "must be absent with taskPolicy.successPolicy, because such a job is complete "
              "without the tasks that run again");
  }
  FieldReader rerun = spec.RequiredObject("rerun");
  const std::string& earlier =
      job.rerun.emplace(RerunSpec{rerun.RequiredString("job", kMaxJobName), {}}).job;
  if (rerun.Has("job") && !IsJobName(earlier)) {
    rerun.Fail("job", "must be " + kAllowedJobName + ", is " + Shown(earlier));
  } else if (earlier == job.name) {
    rerun.Fail("job", "must not name the job itself, is " + Shown(earlier));
  } else if (std::find(job.after.begin(), job.after.end(), earlier) != job.after.end()) {
    rerun.Fail("job", "must not be in spec.after, is " + Shown(earlier));
  }
  const bool failed = rerun.OptionalBool("failed", false);
  const std::string text = rerun.OptionalString("indexes", kMaxIndexesBytes, "");
  if (failed == rerun.Has("indexes")) {
    return spec.Fail("rerun", "must have exactly one of failed: true, indexes");
  }
  if (failed) return;
  auto indexes = ParseIndexList(text);
  if (!indexes) return rerun.Fail("indexes", indexes.error().message);
  job.rerun->tasks.indexes = std::move(*indexes);
}

void ReadSpec(FieldReader spec, JobSpec& job) {
  ReadWorkload(spec, job);
  ReadProfile(spec, job);
  ReadWeighting(spec.OptionalObject("weighting"), job.weighting);
  ReadBalancing(spec.OptionalObject("balancing"), job.balancing);
  ReadTaskPolicy(spec.OptionalObject("taskPolicy"), job.task_policy);
  ReadNodes(spec.OptionalObject("nodes"), job);
  job.suspend = spec.OptionalBool("suspend", job.suspend);
  if (spec.Has("activeDeadlineSeconds")) {
    job.active_deadline =
        std::chrono::seconds(spec.RequiredInt("activeDeadlineSeconds", {1, kMaxSeconds}));
  }
  spec.Any("activeDeadlineSeconds");
  ReadAfter(spec, job);
  ReadRerun(spec, job);
  ReadClusterSections(spec, job);
}

}  // namespace

Result<JobSpec> ReadJob(const json& document) {
  FieldReader object(document, "");
  JobSpec job;
  job.name = ReadObjectHead(object, "WeightedJob");
  ReadSpec(object.RequiredObject("spec"), job);
  if (const auto read = object.Finish(); !read) return tl::unexpected(read.error());
  return job;
}

Result<JobSpec> ParseJob(const std::string& yaml_text, const std::string& file_name) {
  const Result<json> document = ParseDocument(yaml_text, file_name);
  if (!document) return tl::unexpected(document.error());
  Result<JobSpec> job = ReadJob(*document);
  if (!job) return InvalidInput(file_name + ": " + job.error().message);
  return job;
}

}  // namespace evenkeel::model
