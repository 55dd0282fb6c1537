#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/node_affinity.h"
#include "core/model/task_policy.h"
#include "core/model/task_resources.h"

namespace evenkeel::model {

/// The strategies that a job may choose (spec.balancing.strategy).
enum class StrategyName {
  kTailStealing,
  kDomainDecomposition,
  kMasterSlave,
  kModifiedMasterSlave,
  kAdaptiveIterative,
  kCompensated,
  kInterleaved,
};

/// Where a worker's starting weight comes from (spec.weighting.mode).
enum class WeightingMode { kAuto, kFuzzy, kMeasured, kExplicit, kEqual };

/// spec.weighting
struct WeightingSpec {
  std::string policy = "default";
  WeightingMode mode = WeightingMode::kAuto;
  std::map<std::string, double> explicit_weights;  ///< by node name, > 0; only with kExplicit
};

/// Goal of the balancing (spec.balancing.objective).
enum class Objective {
  kTime,    ///< all nodes finish together, as early as possible
  kEnergy,  ///< least energy within a time that the user allows
};

/// How a job's joules are counted.
enum class IdlePower {
  kIgnored,  ///< boards are on anyway: what counts is what the job adds
  kCounted,  ///< a board is on for the job: its idle draw counts until it has done its part
};

/// spec.balancing.energy
struct EnergySpec {
  /// With Objective::kEnergy: the job may take so many times what all nodes together would need,
  /// >= 1.
  double time_factor = 1.5;
  IdlePower idle_power = IdlePower::kIgnored;
  /// Drawn for as long as the job runs, whatever the nodes do: a switch, a fan.
  double standing_watts = 0;
};

/// How much idle workers may spend on speculative copies of late tasks, of idempotent jobs only.
enum class Speculation {
  kDisabled,
  kBounded,   ///< one copy of a task at a time, and at most a tenth of the job's work in all
  kWhenIdle,  ///< as many copies as make the job end earlier
};

/// spec.balancing.tailStealing
struct TailStealingOptions {
  bool stealing = true;  ///< moves work between workers; false: the first shares stay as they are
  Speculation speculation = Speculation::kWhenIdle;
  /// Workers lease tasks ahead of need; false: each thread has only the task that it runs.
  bool credit = true;
};

/// spec.balancing.masterSlave, spec.balancing.modifiedMasterSlave
struct MasterSlaveOptions {
  /// Tasks per message (ModifiedMasterSlave: in its third stage); 1 as published.
  std::int64_t chunk_tasks = 1;
  /// The coordinator is the master, so that worker 0 computes as well (not as published).
  bool dedicated_coordinator = false;
};

/// spec.balancing.adaptiveIterative
struct AdaptiveIterativeOptions {
  std::int32_t rounds = 10;   ///< the first round hands out 1/rounds of the tasks
  bool communication = true;  ///< transfer times count, as published; false: only task times
};

/// How the strategy Compensated computes its compensating factor k.
enum class Compensation {
  kNone,  ///< k = 1: all load above the share is sent, however long the transfer takes
  kFirst,
  kSecond,
  kThird,
};

/// spec.balancing.compensated
struct CompensatedOptions {
  Compensation compensation = Compensation::kThird;
  std::optional<double> compensation_factor;  ///< k itself, 0..1, instead of a computed one
  bool sends_to_all = false;                  ///< to all nodes; false: to neighbours, if known
  double transfer_rate = 0;  ///< tasks per second between two nodes; 0: transfers take no time
};

/// A worker whose stream ended has connected again after so long, unless it is gone.
[[nodiscard]] constexpr Duration ReconnectTimeout(Duration lease) {
  constexpr Duration most = std::chrono::milliseconds(1500);
  return lease < most ? lease : most;
}

/// spec.balancing. Only the options of `strategy` are used.
struct BalancingSpec {
  StrategyName strategy = StrategyName::kTailStealing;
  Duration lease = std::chrono::seconds(10);  ///< a worker silent for so long loses its leases
  Objective objective = Objective::kTime;
  EnergySpec energy;
  TailStealingOptions tail_stealing;
  MasterSlaveOptions master_slave;
  MasterSlaveOptions modified_master_slave;
  AdaptiveIterativeOptions adaptive_iterative;
  CompensatedOptions compensated;
};

/// An item of spec.worker.template.env.
struct EnvironmentVariable {
  std::string name;
  std::string value;
  bool from_cluster = false;  ///< its value is known in a cluster only
};

/// Replaces references to variables as Kubernetes does in env, command and args: $(NAME) stands for
/// the value in `known`, $$ for $; a reference to anything else stays as it is.
[[nodiscard]] std::string ExpandReferences(const std::string& text,
                                           const std::map<std::string, std::string>& known);

/// Tasks of a job that has ended that are to run again.
struct RerunSelection {
  std::optional<RangeSet> indexes{};  ///< nothing: the tasks that failed for good

  friend bool operator==(const RerunSelection&, const RerunSelection&) = default;
};
/// "failed" or the indexes, "3,7-9".
[[nodiscard]] std::string ToString(const RerunSelection& selection);

/// spec.rerun: the results of an earlier job are taken over, except those of some tasks, which run
/// again.
struct RerunSpec {
  std::string job;  ///< name of the earlier job
  RerunSelection tasks;
};

inline constexpr std::int64_t kDefaultFileStorageBytes = std::int64_t{10} << 30;

/// The part of a WeightedJob that coordinator, workers and the local run need. A plain value.
struct JobSpec {
  std::string name;
  std::string workload;             ///< the one key of spec.workload, e.g. "primes"
  std::string workload_parameters;  ///< its value as canonical JSON; the workload reads it itself
  std::string profile;              ///< name under which rates are remembered
  WeightingSpec weighting;
  BalancingSpec balancing;
  TaskPolicy task_policy;
  std::map<std::string, std::string> node_selector;  ///< spec.nodes.selector.matchLabels
  NodeAffinity node_affinity;                        ///< spec.worker.template.affinity.nodeAffinity
  std::int32_t max_workers = 32;
  std::optional<Duration> active_deadline;
  std::vector<EnvironmentVariable> environment;  ///< spec.worker.template.env, in its order
  TaskResources task_resources;                  ///< spec.worker.taskResources
  /// spec.worker.fileStorageLimit: disk space of a worker for the files of its tasks.
  std::int64_t file_storage_bytes = kDefaultFileStorageBytes;
  /// spec.worker.fileCacheClaim: the claim for the cache of each node, a template for NameForNode;
  /// empty: none.
  std::string file_cache_claim;
  bool suspend = false;
  /// spec.after: names of jobs that have to be complete before this one starts. In a cluster only.
  std::vector<std::string> after;
  std::optional<RerunSpec> rerun;  ///< in a cluster only
};

/// The variables by which programs learn how many threads to use, such as OMP_NUM_THREADS, except
/// those that the job sets itself: the whole cores of the CPU that a task needs, at least 1. Empty
/// if CPU is not among the needs.
[[nodiscard]] std::vector<EnvironmentVariable> ThreadVariables(const JobSpec& job);

/// Checks what the manifest cannot check alone: the indexes against the number of tasks, and that
/// the job has no success policy. kInvalidInput says "WHERE: what is wrong"; `where` names the
/// field or flag that has the indexes.
[[nodiscard]] Result<void> CheckRerun(const RerunSelection& selection, const TaskPolicy& policy,
                                      std::int64_t tasks, const std::string& where);

[[nodiscard]] std::string ToString(StrategyName name);
/// Nothing if there is no such strategy.
[[nodiscard]] std::optional<StrategyName> ParseStrategyName(const std::string& text);
/// All strategies that a job may choose.
[[nodiscard]] std::vector<StrategyName> AllStrategies();

}  // namespace evenkeel::model
