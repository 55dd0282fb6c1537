#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/task_policy.h"

namespace evenkeel::model {

enum class StrategyName {
  kTailStealing,
  kDomainDecomposition,
  kMasterSlave,
  kModifiedMasterSlave,
  kAdaptiveIterative,
  kCompensated,
  kInterleaved,
  kStaticChunking,
  kSelfScheduling,
  kFixedSizeChunking,
  kModifiedFixedSizeChunking,
  kGuidedSelfScheduling,
  kTrapezoidSelfScheduling,
  kFactoring,
  kPracticalFactoring,
  kWeightedFactoring,
  kSteppedWeightedFactoring,
  kBatchWeightedFactoring,
  kChunkWeightedFactoring,
  kBatchWeightedFactoringAllTime,
  kChunkWeightedFactoringAllTime,
  kAdaptiveFactoring,
  kRandomChunks,
  kStaticStealing,
  kRandomStealing,
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

/// Which compensating factor k the strategy Compensated reckons with (spec.balancing.compensation).
enum class Compensation {
  kNone,  ///< 1: what is above the share goes out, however long that takes
  kFirst,
  kSecond,
  kThird,
};

/// spec.balancing
struct BalancingSpec {
  StrategyName strategy = StrategyName::kTailStealing;
  bool stealing = true;
  bool speculation = true;
  /// TailStealing: workers have tasks ahead of need; false: no thread has more than the one it
  /// runs.
  bool credit = true;
  /// Chunk techniques: at the end, chunks that are not complete are assigned again (rDLB).
  bool reissue = false;
  /// AdaptiveIterative: its first round hands out one in so many of the tasks. AWF: so many times
  /// weights are changed.
  std::int32_t rounds = 10;
  /// AdaptiveIterative: the time of transfers counts, as published; false: that of tasks alone.
  bool communication = true;
  Compensation compensation = Compensation::kThird;
  /// Compensated: k itself, 0..1, instead of one that is reckoned.
  std::optional<double> compensation_factor;
  /// Compensated: load goes to all nodes, not to neighbours alone, where it is known who they are.
  bool sends_to_all = false;
  /// Compensated: tasks a second from one node to another; 0: they get there in no time.
  double transfer_rate = 0;
  /// Tasks a message of MasterSlave and of the third stage of ModifiedMasterSlave, and at least so
  /// many in other chunks; 1 as published.
  std::int64_t chunk_tasks = 1;
  /// MasterSlave and ModifiedMasterSlave: no worker is lost to being master (not as published).
  bool dedicated_coordinator = false;
  /// How long a worker may be silent before its leases go back.
  Duration lease = std::chrono::seconds(10);
  Objective objective = Objective::kTime;
  EnergySpec energy;
};

/// An item of spec.worker.template.env.
struct EnvironmentVariable {
  std::string name;
  std::string value;
  bool from_cluster = false;  ///< its value is known in a cluster only
};

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
  std::int32_t max_workers = 32;
  std::optional<Duration> active_deadline;
  std::vector<EnvironmentVariable> environment;  ///< spec.worker.template.env, in its order
  bool suspend = false;
};

[[nodiscard]] std::string ToString(StrategyName name);
/// Nothing if there is no such strategy.
[[nodiscard]] std::optional<StrategyName> ParseStrategyName(const std::string& text);
/// All of them, in the order of the design, for messages that say what is allowed.
[[nodiscard]] std::vector<StrategyName> AllStrategies();

}  // namespace evenkeel::model
