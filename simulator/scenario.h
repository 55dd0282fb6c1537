#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/model/cost_model.h"
#include "core/model/job_spec.h"
#include "core/model/node_power.h"
#include "core/model/range_bounds.h"
#include "simulator/distribution.h"
#include "simulator/simulation_config.h"

/// The contents of a scenario file (docs/simulator.md). Times are seconds of virtual time.
namespace evenkeel::simulator {

/// `seconds` plus `of_bound` times the lower bound of the undisturbed job.
struct Moment {
  double seconds = 0;
  double of_bound = 0;
};

/// Maximum number of tasks of a scenario.
inline constexpr std::int64_t kMaxTasks = 50'000'000;

/// Costs that are drawn for each task, in seconds at speed 1.
struct DrawnCosts {
  std::int64_t count = 0;
  Distribution seconds;
};
/// Linear in the index, from the first task to the last.
struct IncreasingCosts {
  std::int64_t count = 0;
  double first = 0;
  double last = 0;
};
struct ListedCosts {
  std::vector<double> seconds;
};
/// Costs from the workload.
struct WorkloadCosts {
  std::shared_ptr<const model::CostModel> costs;
  double units_per_second = 1;  ///< of a node with speed 1
};
using TaskCosts = std::variant<DrawnCosts, IncreasingCosts, ListedCosts, WorkloadCosts>;

struct Arrival {
  Moment at;
  std::optional<Distribution> drawn;  ///< seconds, instead of `at`
  std::int64_t tasks = 0;
  std::int64_t times = 1;           ///< number of such arrivals, each drawn independently
  std::optional<std::string> node;  ///< where they arrive; nothing: at the coordinator
  bool at_any_node = false;         ///< the node is drawn, instead of `node`
};

/// How tasks are transferred between nodes.
struct TransferSource {
  struct Neighbours {
    std::string node;
    std::vector<std::string> others;
    std::optional<Distribution> tasks_per_second;  ///< of these links
  };
  Distribution tasks_per_second = Constant{0};  ///< of each link; 0: transfers take no time
  bool exponential = false;
  bool streams = false;
  std::vector<Neighbours> links;     ///< none: each node has a link to each other node
  std::optional<double> mean_links;  ///< of a node; links are drawn so that all nodes are connected
};

struct TaskSource {
  TaskCosts costs;
  bool costs_declared = false;  ///< the scheduler knows the costs
  double cost_error = 0;        ///< sigma of the logarithm of the error of declared costs
  bool costs_shuffled = false;  ///< declared costs are those of other tasks: worthless
  std::optional<model::RangeBounds> ranges;  ///< one run of a program does a range of tasks
  bool runs_report_progress = true;          ///< so that runs can be cut
  double startup_seconds = 0;                ///< of that program, at speed 1
  double input_bytes = 0;
  double file_bytes = 0;
  double result_bytes = 0;
  std::optional<BlockModel> blocks;
  std::vector<Arrival> arrivals;  ///< the last tasks come later, in order of time
};

/// From `at` on, the node's speed is `factor` times the drawn speed.
struct SpeedChange {
  Moment at;
  double factor = 1;
};
/// Intermittent load of other programs, independent for each node; both times are exponential.
struct OtherLoad {
  double every_seconds = 0;  ///< mean time without it
  double lasts_seconds = 0;  ///< mean time with it
  double factor = 1;
};
struct NodeFault {
  Fault::Kind kind = Fault::Kind::kKillWorker;
  Moment at;
  std::optional<Moment> lasts;  ///< for ever if not given
};

struct NodeGroup {
  std::string name;  ///< of the node, or with several "NAME-1", "NAME-2", ...
  std::int64_t count = 1;
  Distribution speed;
  bool alike = false;  ///< the speed is drawn once for all of them
  std::uint32_t cores = 1;
  std::optional<double> weight;  ///< declared; else it follows from the speed
  double megabits_per_second = 0;
  double latency_seconds = 0;
  std::int64_t load = 0;  ///< tasks that are at each of these nodes from the start
  std::optional<Moment> joins;
  bool expected = true;
  std::vector<SpeedChange> changes;
  std::optional<double> changes_repeat_seconds;
  std::optional<OtherLoad> other_load;
  std::vector<NodeFault> faults;
  std::optional<model::NodePower> power;
};

/// How the declared weights follow from the speeds.
enum class DeclaredWeights { kSpeeds, kEqual, kInverse };

/// A strategy with its options, under the name that results show.
struct Variant {
  std::string name;
  model::BalancingSpec balancing;
  std::optional<scheduling::TechniqueName> technique{};  ///< instead of the strategy
  scheduling::TechniqueOptions technique_options{};
  std::optional<std::int64_t> nodes = std::nullopt;  ///< use only the first nodes, this many
};

struct CoordinatorFault {
  Moment at;
  Moment lasts;
};

struct Scenario {
  std::string name;
  std::string description;
  TaskSource tasks;
  std::vector<NodeGroup> nodes;
  DeclaredWeights weights = DeclaredWeights::kSpeeds;
  double weight_error = 0;  ///< sigma of the logarithm of the error of declared weights
  NetworkModel network;
  CoordinatorModel coordinator;
  TransferSource transfers;
  Duration journal = std::chrono::milliseconds(2);
  Duration report_interval = std::chrono::seconds(1);
  std::vector<CoordinatorFault> coordinator_faults;
  /// Strategy and options for the strategies that the command line names; its own name is empty.
  Variant defaults;
  std::vector<Variant> variants;  ///< at least one
  std::uint64_t seed = 1;         ///< of the first repetition; the next one's is one more
  std::int64_t repetitions = 1;
};

}  // namespace evenkeel::simulator
