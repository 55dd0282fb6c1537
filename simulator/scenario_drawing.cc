#include "simulator/scenario_drawing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/portable_math.h"
#include "core/base/splitmix.h"
#include "simulator/scenario_fields.h"
#include "simulator/scenario_transfers.h"

namespace evenkeel::simulator {
namespace {

// Each purpose has a separate generator, so that e.g. more nodes do not change the tasks.
enum class Purpose : std::uint64_t {
  kCosts = 1,
  kSpeeds,
  kWeights,
  kOtherLoad,
  kNetwork,
  kCostErrors
};

Rng RngFor(std::uint64_t seed, Purpose purpose) {
  return Rng(SplitMixAt(seed, static_cast<std::uint64_t>(purpose)));
}

// Other load is drawn for this multiple of the lower bound.
constexpr double kOtherLoadHorizon = 20;
// Maximum number of repetitions of a pattern of changes.
constexpr int kMaxRepeats = 10'000;

struct CostDrawer {
  std::uint64_t seed;

  std::vector<double> operator()(const DrawnCosts& drawn) const {
    Rng rng = RngFor(seed, Purpose::kCosts);
    std::vector<double> costs(static_cast<std::size_t>(drawn.count));
    for (double& cost : costs) cost = Draw(drawn.seconds, rng);
    return costs;
  }
  std::vector<double> operator()(const IncreasingCosts& rising) const {
    std::vector<double> costs(static_cast<std::size_t>(rising.count));
    const double steps = std::max(static_cast<double>(rising.count - 1), 1.0);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      costs[i] = rising.first + (rising.last - rising.first) * static_cast<double>(i) / steps;
    }
    return costs;
  }
  std::vector<double> operator()(const ListedCosts& listed) const { return listed.seconds; }
  std::vector<double> operator()(const WorkloadCosts& workload) const {
    std::vector<double> costs(static_cast<std::size_t>(workload.costs->TaskCount()));
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const auto index = static_cast<model::TaskIndex>(i);
      const auto units = static_cast<double>(workload.costs->Of({index, index + 1}));
      costs[i] = units / workload.units_per_second;
    }
    return costs;
  }
};

/// The declared costs have the same mean as the true ones.
std::vector<double> DeclareCosts(const std::vector<double>& costs, const TaskSource& source,
                                 std::uint64_t seed) {
  Rng rng = RngFor(seed, Purpose::kCostErrors);
  std::vector<double> declared = costs;
  if (source.cost_error > 0) {
    for (double& cost : declared) cost = Draw(LogNormal{cost, source.cost_error}, rng);
  }
  if (!source.costs_shuffled) return declared;
  for (std::size_t left = declared.size(); left > 1; --left) {
    std::swap(declared[left - 1], declared[static_cast<std::size_t>(rng.Below(left))]);
  }
  return declared;
}

// A node as the draws leave it.
struct DrawnNode {
  const NodeGroup* group;
  double speed;
};

std::vector<DrawnNode> DrawNodes(const Scenario& scenario, std::uint64_t seed) {
  Rng rng = RngFor(seed, Purpose::kSpeeds);
  std::vector<DrawnNode> nodes;
  for (const NodeGroup& group : scenario.nodes) {
    double speed = 0;
    for (std::int64_t i = 0; i < group.count; ++i) {
      if (i == 0 || !group.alike) speed = Draw(group.speed, rng);
      nodes.push_back({&group, speed});
    }
  }
  return nodes;
}

double UndisturbedBound(const std::vector<double>& costs, const std::vector<DrawnNode>& nodes) {
  double speeds = 0;
  double fastest = 0;
  for (const DrawnNode& node : nodes) {
    speeds += node.speed * node.group->cores;
    fastest = std::max(fastest, node.speed);
  }
  const double longest = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
  return std::max(std::accumulate(costs.begin(), costs.end(), 0.0) / speeds, longest / fastest);
}

class NodeBuilder {
 public:
  NodeBuilder(const Scenario& scenario, std::uint64_t seed, double bound)
      : scenario_(scenario),
        bound_(bound),
        weights_(RngFor(seed, Purpose::kWeights)),
        other_load_(RngFor(seed, Purpose::kOtherLoad)) {}

  void Add(const DrawnNode& drawn, std::int64_t number, double fastest,
           SimulationConfig& simulation) {
    const NodeGroup& group = *drawn.group;
    NodeModel node;
    node.name = group.count == 1 ? group.name : group.name + "-" + std::to_string(number + 1);
    node.ratio = Weight(drawn, fastest);
    node.speed = Speed(drawn);
    node.threads = group.cores;
    node.power = group.power;
    node.expected = group.expected;
    if (group.joins) node.joins_at = At(*group.joins);
    node.link_bytes_per_second = group.megabits_per_second * kBytesPerMegabit;
    node.link_latency = FromSeconds(group.latency_seconds);
    for (const NodeFault& fault : group.faults) {
      const Duration lasts = fault.lasts ? At(*fault.lasts) : kForEver;
      simulation.faults.push_back({fault.kind, simulation.nodes.size(), At(fault.at), lasts, {}});
    }
    simulation.nodes.push_back(std::move(node));
  }

  [[nodiscard]] Duration At(const Moment& moment) const {
    return FromSeconds(moment.seconds + moment.of_bound * bound_);
  }

 private:
  double Weight(const DrawnNode& drawn, double fastest) {
    if (drawn.group->weight) return *drawn.group->weight;
    const double capacity = drawn.speed * drawn.group->cores;
    double weight = 1;
    if (scenario_.weights == DeclaredWeights::kSpeeds) weight = capacity;
    if (scenario_.weights == DeclaredWeights::kInverse) weight = fastest / capacity;
    if (scenario_.weight_error <= 0) return weight;
    return weight * PortableExp(scenario_.weight_error * weights_.Normal());
  }

  SpeedProfile Speed(const DrawnNode& drawn) {
    const NodeGroup& group = *drawn.group;
    SpeedProfile speed(drawn.speed);
    const int repeats = group.changes_repeat_seconds ? kMaxRepeats : 1;
    for (int i = 0; i < repeats && !group.changes.empty(); ++i) {
      const double later = i * group.changes_repeat_seconds.value_or(0);
      if (i > 0 && later > kOtherLoadHorizon * bound_) break;
      for (const SpeedChange& change : group.changes) {
        speed.ChangeAt(Instant{At(change.at) + FromSeconds(later)}, drawn.speed * change.factor);
      }
    }
    if (group.other_load) AddOtherLoad(*group.other_load, drawn.speed, speed);
    return speed;
  }

  void AddOtherLoad(const OtherLoad& load, double undisturbed, SpeedProfile& speed) {
    double at = other_load_.Exponential(load.every_seconds);
    while (at < kOtherLoadHorizon * bound_) {
      speed.ChangeAt(Instant{FromSeconds(at)}, undisturbed * load.factor);
      at += other_load_.Exponential(load.lasts_seconds);
      speed.ChangeAt(Instant{FromSeconds(at)}, undisturbed);
      at += other_load_.Exponential(load.every_seconds);
    }
  }

  const Scenario& scenario_;
  double bound_;
  Rng weights_;
  Rng other_load_;
};

}  // namespace

SimulationConfig DrawSimulation(const Scenario& scenario, std::uint64_t seed) {
  SimulationConfig simulation;
  simulation.true_costs = std::visit(CostDrawer{seed}, scenario.tasks.costs);
  simulation.costs_known = scenario.tasks.costs_declared;
  const TaskSource& tasks = scenario.tasks;
  if (tasks.costs_declared && (tasks.cost_error > 0 || tasks.costs_shuffled)) {
    simulation.declared_costs = DeclareCosts(simulation.true_costs, tasks, seed);
  }
  simulation.ranges = tasks.ranges;
  simulation.startup_seconds = tasks.startup_seconds;
  simulation.runs_report_progress = tasks.runs_report_progress;
  simulation.input_bytes = scenario.tasks.input_bytes;
  simulation.file_bytes = scenario.tasks.file_bytes;
  simulation.result_bytes = scenario.tasks.result_bytes;
  simulation.blocks = scenario.tasks.blocks;
  simulation.network = scenario.network;
  simulation.coordinator = scenario.coordinator;
  simulation.commit_latency = scenario.journal;
  simulation.report_interval = scenario.report_interval;
  simulation.seed = SplitMixAt(seed, static_cast<std::uint64_t>(Purpose::kNetwork));
  simulation.account_tasks = false;

  const auto drawn = DrawNodes(scenario, seed);
  const double bound = UndisturbedBound(simulation.true_costs, drawn);
  double fastest = 0;
  for (const DrawnNode& node : drawn) fastest = std::max(fastest, node.speed * node.group->cores);
  NodeBuilder builder(scenario, seed, bound);
  std::int64_t number = 0;
  const NodeGroup* group = nullptr;
  for (const DrawnNode& node : drawn) {
    number = node.group == group ? number + 1 : 0;
    group = node.group;
    builder.Add(node, number, fastest, simulation);
  }
  for (const CoordinatorFault& fault : scenario.coordinator_faults) {
    simulation.faults.push_back({Fault::Kind::kKillCoordinator, 0, builder.At(fault.at),
                                 builder.At(fault.lasts), Duration::zero()});
  }
  PlaceTasks(
      scenario, seed, [&](const Moment& at) { return builder.At(at); }, simulation);
  LinkNodes(scenario.transfers, seed, simulation);

  simulation.job.name = simulation.job.workload = "simulated";
  simulation.job.max_workers = static_cast<std::int32_t>(simulation.nodes.size());
  simulation.job.task_policy.timeout = std::chrono::hours(24 * 365);
  simulation.give_up_after = FromSeconds(1e6 + 1e4 * bound);
  return simulation;
}

void KeepNodes(const std::vector<bool>& kept, SimulationConfig& simulation) {
  EVENKEEL_CHECK(simulation.transfers.placed.empty() && simulation.transfers.links.empty(),
                 "a node is taken away that tasks or links name");
  std::vector<NodeModel> nodes;
  std::vector<std::size_t> numbers(simulation.nodes.size());  // where each is then, if it is kept
  for (std::size_t i = 0; i < simulation.nodes.size(); ++i) {
    numbers[i] = nodes.size();
    if (kept[i]) nodes.push_back(std::move(simulation.nodes[i]));
  }
  simulation.nodes = std::move(nodes);
  std::vector<Fault> faults;
  for (Fault fault : simulation.faults) {
    if (fault.kind != Fault::Kind::kKillCoordinator) {
      if (!kept[fault.node]) continue;
      fault.node = numbers[fault.node];
    }
    faults.push_back(fault);
  }
  simulation.faults = std::move(faults);
}

}  // namespace evenkeel::simulator
