#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/engine/epoch_authenticator.h"
#include "core/engine/verification_rules.h"
#include "core/model/cost_model.h"
#include "core/model/job_spec.h"
#include "core/model/range_bounds.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "core/scheduling/strategy.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// A worker that is expected to connect.
struct ExpectedNode {
  std::string name;
  double ratio = 1.0;  ///< weight relative to the others, >= 0
  std::optional<model::NodePower> power{};
  bool left_out = false;  ///< eligible, but gets no worker, to save energy
  /// Expected from earlier jobs: work units per second of the whole worker, > 0, and the relative
  /// standard deviation of that, > 0.
  std::optional<double> rate = std::nullopt;
  std::optional<double> sigma = std::nullopt;
};

/// Tasks whose data is at a node of the job before they run.
struct PlacedTasks {
  model::IndexRange range;
  std::string node;
};

/// A link between two nodes, over which tasks can be transferred in both directions.
struct NodeLink {
  std::string one;
  std::string other;
  double tasks_per_second = 1;  ///< > 0, in each direction
};

/// Returns the input of a task, always the same one; null if tasks have none.
using InputOf = std::function<std::string(model::TaskIndex)>;

struct CoordinatorConfig {
  model::JobSpec job;
  std::shared_ptr<const model::CostModel> costs;  ///< what the scheduler may know
  std::uint32_t workload_version = 1;
  std::uint64_t epoch = 1;  ///< of this start, from the journal
  /// Checks the higher epochs that workers claim; must outlive the coordinator. Null: they are
  /// believed.
  const EpochAuthenticator* epochs = nullptr;
  std::string token;                           ///< every Hello must carry it; empty: any
  std::vector<ExpectedNode> nodes;             ///< in the order of the node file; at least one
  bool admit_unexpected = true;                ///< nodes that are not listed may join
  model::RangeSet completed;                   ///< durable results, from the journal
  std::vector<model::FailureRecord> failures;  ///< from the journal; their records are not needed
  std::optional<VerificationRules> verification{};  ///< nothing: results are not verified
  VerifiedSoFar verified{};                         ///< from the journal
  InputOf input_of;
  /// One run of the user's program does a whole grant; nothing: one task.
  std::optional<model::RangeBounds> ranges{};
  bool data_fetched_ahead = false;  ///< as StrategyContext::data_fetched_ahead
  std::optional<Instant> started;   ///< when the command started, if that was before Start
  Duration active_before{};         ///< length of the job's time line so far, from the journal
  Duration report_interval = std::chrono::seconds(1);
  /// Expected time from sending a message to a worker to its answer, until it is measured.
  Duration round_trip = std::chrono::milliseconds(1);
  scheduling::StrategyFactory make_strategy = scheduling::MakeStrategy;
  std::uint64_t seed = 1;  ///< for randomized strategies
  /// When this start ends before the job does, streams are closed without a Finish, and workers
  /// wait for the next start. For workers whose life is not this process's to decide.
  bool keep_workers = false;
  std::vector<PlacedTasks> placed{};  ///< tasks that are listed nowhere have no place
  std::vector<NodeLink> links{};      ///< if any, only linked nodes are neighbors
};

/// A job after tasks were appended. The earlier tasks are unchanged.
struct GrownJob {
  std::shared_ptr<const model::CostModel> costs;  ///< of all tasks
  InputOf input_of;                               ///< of all tasks
  std::string workload_parameters;                ///< for workers that connect from now on
};

/// `costs` are those of the job as it grows.
[[nodiscard]] scheduling::TimingEstimator::Options EstimatorOptions(const CoordinatorConfig& config,
                                                                    const model::CostModel& costs);
/// Sum of the ratios of the nodes that get no worker.
[[nodiscard]] double LeftOutRatio(const std::vector<ExpectedNode>& nodes);
/// The rate that a ratio of 1 stands for, by the expected rates: the median over the nodes, so that
/// one wrong node does no harm. Nothing if no rate is expected.
[[nodiscard]] std::optional<double> UnitRate(const std::vector<ExpectedNode>& nodes);

}  // namespace evenkeel::engine
