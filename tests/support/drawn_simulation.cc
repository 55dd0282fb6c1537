#include "tests/support/drawn_simulation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace evenkeel::support {
namespace {

using simulator::Fault;
using simulator::NodeModel;
using simulator::SimulationConfig;

constexpr int kAlways = 1'000'000;   // a task that fails each time
constexpr double kLongestFault = 4;  // seconds
constexpr double kLongestStall = 60;

std::vector<double> DrawCosts(Rng& rng, std::string& summary) {
  const auto tasks =
      static_cast<std::size_t>(rng.Chance(0.1) ? rng.Between(0, 3) : rng.Between(0, 400));
  std::vector<double> costs(tasks);
  const std::uint64_t shape = rng.Below(5);
  for (double& cost : costs) {
    switch (shape) {
      case 0:
        cost = 1;
        break;
      case 1:
        cost = rng.Uniform(0.1, 1);
        break;
      case 2:
        cost = std::min(std::pow(1 - rng.Unit(), -1.25), 1e3);
        break;  // heavy-tailed
      case 3:
        cost = rng.Chance(0.5) ? 0 : rng.Unit();
        break;
      default:
        cost = 0.01;
        break;
    }
  }
  if (shape == 4 && !costs.empty())
    costs[static_cast<std::size_t>(rng.Below(tasks))] = static_cast<double>(tasks) * 0.01;
  constexpr const char* kShapes[] = {"equal", "uniform", "heavy-tailed", "half zero", "one giant"};
  summary += std::to_string(tasks) + " tasks " + kShapes[shape];
  return costs;
}

std::vector<NodeModel> DrawNodes(Rng& rng, std::vector<double>& speeds) {
  std::vector<NodeModel> nodes(static_cast<std::size_t>(rng.Between(1, 12)));
  const bool wrong_weights = rng.Chance(0.4);
  const double spread = rng.Uniform(0, 3);  // orders of magnitude
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeModel& node = nodes[i];
    const double speed = std::pow(10.0, -rng.Uniform(0, spread));
    speeds.push_back(speed);
    node.name = "node-" + std::to_string(i);
    node.threads = static_cast<std::uint32_t>(rng.Chance(0.5) ? 1 : rng.Between(1, 4));
    node.ratio = wrong_weights ? rng.Uniform(0, 5) : speed * node.threads;
    node.speed = simulator::SpeedProfile(speed);
    if (i > 0 && rng.Chance(0.15)) node.expected = false;
    if (i > 0 && rng.Chance(0.25)) node.joins_at = FromSeconds(rng.Uniform(0, 5));
    if (rng.Chance(0.15)) node.speed.ChangeAt(Instant{FromSeconds(rng.Uniform(0, 5))}, speed / 2);
  }
  return nodes;
}

void DrawJob(Rng& rng, SimulationConfig& simulation, std::string& summary) {
  model::JobSpec& job = simulation.job;
  job.name = job.workload = "drawn";
  const simulator::SimulatedStrategy strategy = DrawStrategy(rng, simulation);
  job.balancing.tail_stealing.stealing = rng.Chance(0.8);
  job.balancing.tail_stealing.speculation =
      rng.Chance(0.7) ? model::Speculation::kWhenIdle : model::Speculation::kBounded;
  if (rng.Chance(0.3)) job.balancing.tail_stealing.speculation = model::Speculation::kDisabled;
  model::MasterSlaveOptions master_slave;
  master_slave.dedicated_coordinator = rng.Chance(0.5);
  master_slave.chunk_tasks = rng.Chance(0.7) ? 1 : rng.Between(1, 9);
  job.balancing.master_slave = job.balancing.modified_master_slave = master_slave;
  simulation.technique_options.least_chunk_tasks = master_slave.chunk_tasks;
  job.balancing.lease = rng.Chance(0.6) ? std::chrono::seconds(1) : std::chrono::seconds(10);
  job.task_policy.idempotent = rng.Chance(0.6);
  job.task_policy.timeout = std::chrono::hours(10'000);  // slow nodes may take long
  simulation.costs_known = rng.Chance(0.5);
  summary += " " + ToString(strategy);
  if (simulation.costs_known) summary += " known";
  if (!job.balancing.tail_stealing.stealing) summary += " no-stealing";
  if (!job.task_policy.idempotent) summary += " not-idempotent";
}

void DrawNetwork(Rng& rng, SimulationConfig& simulation, bool& everybody_knows,
                 std::string& summary) {
  simulation.network.latency = FromSeconds(std::pow(10.0, -rng.Uniform(1.3, 4)));
  simulation.commit_latency = FromSeconds(std::pow(10.0, -rng.Uniform(1.3, 4)));
  if (!rng.Chance(0.5)) return;
  simulation.network.jitter =
      FromSeconds(ToSeconds(simulation.network.latency) * rng.Uniform(0, 3));
  simulation.network.ordered = rng.Chance(0.6);
  everybody_knows = false;
  summary += simulation.network.ordered ? " jitter" : " reordered";
}

Fault DrawFault(Rng& rng, std::size_t nodes, std::size_t survivor) {
  Fault fault;
  constexpr Fault::Kind kKinds[] = {Fault::Kind::kKillWorker, Fault::Kind::kKillCoordinator,
                                    Fault::Kind::kCutLink, Fault::Kind::kDrainWorker,
                                    Fault::Kind::kStallWorker};
  fault.kind = kKinds[rng.Below(std::size(kKinds))];
  fault.node = static_cast<std::size_t>(rng.Below(nodes));
  fault.at = FromSeconds(rng.Uniform(0, 12) * rng.Unit());
  fault.lasts = FromSeconds(rng.Uniform(0, kLongestFault) * rng.Unit());
  fault.noticed_after = FromSeconds(rng.Chance(0.5) ? 0 : rng.Uniform(0, kLongestFault));
  const bool may_last = fault.kind != Fault::Kind::kKillCoordinator && fault.node != survivor;
  if (may_last && rng.Chance(0.3)) fault.lasts = simulator::kForEver;
  return fault;
}

void DrawFaults(Rng& rng, SimulationConfig& simulation, std::size_t survivor,
                DrawnSimulation& drawn) {
  if (rng.Chance(0.2)) return;
  const std::int64_t count = rng.Between(0, 8);
  for (std::int64_t i = 0; i < count; ++i) {
    simulation.faults.push_back(DrawFault(rng, simulation.nodes.size(), survivor));
    const auto kind = simulation.faults.back().kind;
    if (kind != Fault::Kind::kKillWorker && kind != Fault::Kind::kDrainWorker) {
      drawn.everybody_knows = false;
    }
  }
  drawn.summary += " faults " + std::to_string(count);
}

/// Two kills make the task they hit a suspect; those after them may hit it alone and charge it. A
/// process that is drained is killed if it does not end in time, and so is its successor if two
/// drains overlap.
void AllowForKills(SimulationConfig& simulation) {
  const auto kills =
      std::count_if(simulation.faults.begin(), simulation.faults.end(), [](const Fault& fault) {
        return fault.kind == Fault::Kind::kKillWorker || fault.kind == Fault::Kind::kDrainWorker;
      });
  simulation.job.task_policy.backoff_limit_per_task +=
      static_cast<std::int32_t>(std::max<std::int64_t>(kills - 2, 0));
}

void DrawFailures(Rng& rng, SimulationConfig& simulation, DrawnSimulation& drawn) {
  model::TaskPolicy& policy = simulation.job.task_policy;
  policy.backoff_limit_per_task = static_cast<std::int32_t>(rng.Between(0, 3));
  policy.max_failed_tasks = rng.Chance(0.5) ? 0 : rng.Between(0, 5);
  const std::int32_t retries = policy.backoff_limit_per_task;
  AllowForKills(simulation);
  if (simulation.true_costs.empty() || rng.Chance(0.6)) return;
  std::int64_t lost = 0;
  const std::int64_t count = rng.Between(1, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto task = static_cast<model::TaskIndex>(rng.Below(simulation.true_costs.size()));
    const bool always = rng.Chance(0.25);
    const int times = always ? kAlways : static_cast<int>(rng.Between(0, retries));
    if (simulation.failing.emplace(task, times).second && always) {
      ++lost;
      drawn.doomed.insert(task);
    }
  }
  drawn.must_fail = lost > policy.max_failed_tasks;
  drawn.summary += " failing " + std::to_string(count) + "/" + std::to_string(lost);
}

constexpr std::int32_t kFailsJob = 40;
constexpr std::int32_t kFailsTask = 41;
constexpr std::int32_t kIgnored = 42;

/// Some failing tasks exit with codes that rules name. A task that fails for good by a rule fails
/// each time, because a failure that is lost with its worker does not count.
void DrawExitCodes(Rng& rng, SimulationConfig& simulation, DrawnSimulation& drawn) {
  using Action = model::ExitCodeRule::Action;
  if (simulation.failing.empty() || rng.Chance(0.3)) return;
  simulation.job.task_policy.on_exit_codes = {{Action::kFailJob, true, {kFailsJob}},
                                              {Action::kFailTask, true, {kFailsTask, kFailsJob}},
                                              {Action::kCount, false, {kIgnored}},
                                              {Action::kIgnore, true, {kIgnored}}};
  bool fails_job = false;
  for (auto& [task, times] : simulation.failing) {
    const std::int32_t codes[] = {1, kFailsJob, kFailsTask, kIgnored, kIgnored, 7};
    const std::int32_t code = codes[rng.Below(std::size(codes))];
    simulation.exit_codes[task] = code;
    if (code == kIgnored) {  // more often than its retries would allow, and successful at last
      times = static_cast<int>(rng.Between(1, 6));
      drawn.doomed.erase(task);
    } else if (code == kFailsJob || code == kFailsTask) {
      times = kAlways;
      drawn.doomed.insert(task);
      fails_job = fails_job || code == kFailsJob;
    }
  }
  const auto lost = static_cast<std::int64_t>(drawn.doomed.size());
  drawn.must_fail = fails_job || lost > simulation.job.task_policy.max_failed_tasks;
  drawn.summary += " codes " + std::to_string(lost) + (fails_job ? " fails-job" : "");
}

void DrawSuccessPolicy(Rng& rng, SimulationConfig& simulation, DrawnSimulation& drawn) {
  const auto tasks = static_cast<std::int64_t>(simulation.true_costs.size());
  if (tasks == 0 || rng.Chance(0.8)) return;
  model::SuccessPolicy& policy = simulation.job.task_policy.success;
  model::IndexRange wanted{0, tasks};
  if (rng.Chance(0.5)) {
    wanted.begin = rng.Between(0, tasks - 1);
    wanted.end = rng.Between(wanted.begin + 1, tasks);
    policy.succeeded_indexes = model::RangeSet(wanted);
  }
  if (!policy.succeeded_indexes || rng.Chance(0.5)) {
    policy.succeeded_count = rng.Between(1, wanted.Size());
  }
  const auto lost = std::count_if(drawn.doomed.begin(), drawn.doomed.end(),
                                  [&](model::TaskIndex task) { return wanted.Contains(task); });
  drawn.may_end_early = wanted.Size() - lost >= policy.succeeded_count.value_or(wanted.Size());
  if (!drawn.may_end_early) drawn.must_fail = true;
  drawn.summary += drawn.may_end_early ? " success-policy" : " success-policy-unmet";
}

/// Uses a separate generator, so that policies do not change the rest of a seed's simulation.
void DrawPolicies(std::uint64_t seed, SimulationConfig& simulation, DrawnSimulation& drawn) {
  Rng rng(seed ^ 0x706f6c696379ULL);
  DrawExitCodes(rng, simulation, drawn);
  DrawSuccessPolicy(rng, simulation, drawn);
  simulation.inputs = rng.Chance(0.3);
  simulation.technique_options.reissue = rng.Chance(0.4);
}

/// Tasks that are appended while the job runs, also from a separate generator. Tasks that
/// policies and failures name exist from the start: the job may end before others are appended.
void DrawGrowth(std::uint64_t seed, SimulationConfig& simulation, DrawnSimulation& drawn) {
  Rng rng(seed ^ 0x67726f777468ULL);
  const auto tasks = static_cast<std::int64_t>(simulation.true_costs.size());
  const std::int64_t least =
      simulation.failing.empty() ? 0 : simulation.failing.rbegin()->first + 1;
  if (rng.Chance(0.7) || least >= tasks || simulation.job.task_policy.success.Any()) return;
  std::int64_t known = rng.Between(least, tasks);
  simulation.initial_tasks = known;
  drawn.summary += " of " + std::to_string(known);
  for (double at = 0; known < tasks;) {
    at += rng.Uniform(0, 4) * rng.Unit();
    known = rng.Chance(0.5) ? tasks : rng.Between(known, tasks);
    simulation.growths.push_back({FromSeconds(at), known});
    drawn.summary += "+" + std::to_string(known);
  }
}

/// Faults of the coordinator's process and disk, and of clocks, also from a separate generator.
void DrawHostFaults(std::uint64_t seed, SimulationConfig& simulation, DrawnSimulation& drawn) {
  Rng rng(seed ^ 0x686f7374666c74ULL);
  if (rng.Chance(0.4)) return;
  constexpr Fault::Kind kKinds[] = {Fault::Kind::kStallCoordinator, Fault::Kind::kSlowDisk,
                                    Fault::Kind::kFailDisk, Fault::Kind::kJumpClock};
  constexpr const char* kNames[] = {"stall", "slow-disk", "disk-failure", "clock-jump"};
  const std::int64_t count = rng.Between(1, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    Fault fault;
    const std::uint64_t kind = rng.Below(std::size(kKinds));
    fault.kind = kKinds[kind];
    fault.node = static_cast<std::size_t>(rng.Below(simulation.nodes.size()));
    fault.at = FromSeconds(rng.Uniform(0, 12) * rng.Unit());
    fault.lasts = FromSeconds(kLongestStall * rng.Unit() * rng.Unit());
    if (fault.kind == Fault::Kind::kFailDisk) fault.lasts = FromSeconds(rng.Uniform(0, 4));
    // A commit takes 1 ms to 30 s; a clock jumps by 10 ms to an hour.
    const bool slow = fault.kind == Fault::Kind::kSlowDisk;
    const double longest = slow ? 4.48 : 5.56;  // powers of 10
    fault.amount = FromSeconds((slow ? 1e-3 : 1e-2) * std::pow(10.0, rng.Uniform(0, longest)));
    simulation.faults.push_back(fault);
    drawn.summary += std::string(" ") + kNames[kind];
  }
  if (rng.Chance(0.3)) {  // slow disks hold reports back
    simulation.max_pending_bytes = static_cast<std::size_t>(rng.Between(1, 200));
    drawn.summary += " pending<" + std::to_string(simulation.max_pending_bytes);
  }
  drawn.everybody_knows = false;
}

/// From a generator of its own, too.
void DrawEnergy(std::uint64_t seed, SimulationConfig& simulation, std::string& summary) {
  Rng rng(seed ^ 0x656e65726779ULL);
  model::BalancingSpec& balancing = simulation.job.balancing;
  const bool tail_stealing =
      balancing.strategy == model::StrategyName::kTailStealing && !simulation.technique;
  if (!tail_stealing || rng.Chance(0.7)) return;
  balancing.objective = model::Objective::kEnergy;
  balancing.energy.time_factor = rng.Chance(0.2) ? 1 : rng.Uniform(1, 4);
  if (rng.Chance(0.5)) balancing.energy.idle_power = model::IdlePower::kCounted;
  if (rng.Chance(0.3)) balancing.energy.standing_watts = rng.Uniform(0, 50);
  for (auto& node : simulation.nodes) {
    const double watts = rng.Uniform(1, 50);
    if (rng.Chance(0.8)) node.power = {watts, watts * rng.Unit()};
  }
  if (rng.Chance(0.3)) simulation.left_out_ratio = rng.Uniform(0, 5);
  summary += " energy";
}

/// From a generator of its own, too.
void DrawCredit(std::uint64_t seed, SimulationConfig& simulation, std::string& summary) {
  Rng rng(seed ^ 0x637265646974ULL);
  simulation.job.balancing.tail_stealing.credit = rng.Chance(0.9);
  if (!simulation.job.balancing.tail_stealing.credit) summary += " no-credit";
}

/// Programs that do a range of tasks in one run. From a generator of its own, too.
void DrawRanges(std::uint64_t seed, SimulationConfig& simulation, std::string& summary) {
  Rng rng(seed ^ 0x72616e676573ULL);
  if (rng.Chance(0.8)) return;
  model::RangeBounds bounds;
  if (rng.Chance(0.3)) bounds.least_tasks = rng.Between(1, 20);
  if (rng.Chance(0.3)) bounds.most_tasks = bounds.least_tasks + rng.Between(0, 50);
  simulation.ranges = bounds;
  simulation.startup_seconds = rng.Chance(0.3) ? 0 : rng.Uniform(0, 3) * rng.Unit();
  simulation.runs_report_progress = rng.Chance(0.6);
  summary += simulation.runs_report_progress ? " ranges with progress" : " ranges";
}

/// Nodes that have data of tasks in their caches. From a generator of its own, too.
void DrawCaches(std::uint64_t seed, SimulationConfig& simulation, std::string& summary) {
  Rng rng(seed ^ 0x636163686573ULL);
  const auto tasks = static_cast<std::int64_t>(simulation.true_costs.size());
  if (tasks == 0 || rng.Chance(0.8)) return;
  for (std::size_t node = 0; node < simulation.nodes.size(); ++node) {
    if (rng.Chance(0.4)) continue;
    simulator::CachedData data{{}, node};
    for (std::int64_t parts = rng.Between(1, 9); parts > 0; --parts) {
      const model::TaskIndex begin = rng.Between(0, tasks - 1);
      data.tasks.Insert({begin, rng.Between(begin, tasks)});
    }
    simulation.cached.push_back(std::move(data));
  }
  summary += " caches";
}

}  // namespace

simulator::SimulatedStrategy DrawStrategy(Rng& rng, SimulationConfig& config) {
  const auto strategies = simulator::AllSimulatedStrategies();
  const simulator::SimulatedStrategy strategy =
      rng.Chance(0.5) ? simulator::SimulatedStrategy()
                      : strategies[static_cast<std::size_t>(rng.Below(strategies.size()))];
  config.job.balancing.strategy = strategy.strategy;
  config.technique = strategy.technique;
  return strategy;
}

DrawnSimulation DrawSimulation(std::uint64_t seed) {
  Rng rng(seed);
  DrawnSimulation drawn;
  SimulationConfig& simulation = drawn.config;
  simulation.seed = seed;
  simulation.true_costs = DrawCosts(rng, drawn.summary);
  std::vector<double> speeds;
  simulation.nodes = DrawNodes(rng, speeds);
  drawn.summary += " on " + std::to_string(simulation.nodes.size()) + " nodes";
  const auto survivor = static_cast<std::size_t>(rng.Below(simulation.nodes.size()));
  simulation.nodes[survivor].joins_at = Duration::zero();
  DrawJob(rng, simulation, drawn.summary);
  DrawNetwork(rng, simulation, drawn.everybody_knows, drawn.summary);
  // A task that must not run twice needs a lease that lasts: one that lapses more often than the
  // task takes never lets it end.
  if (!simulation.job.task_policy.idempotent &&
      simulation.network.jitter > simulation.job.balancing.lease / 20) {
    simulation.job.balancing.lease = std::chrono::seconds(10);
  }
  DrawFaults(rng, simulation, survivor, drawn);
  DrawFailures(rng, simulation, drawn);
  DrawPolicies(seed, simulation, drawn);
  DrawGrowth(seed, simulation, drawn);
  DrawHostFaults(seed, simulation, drawn);
  DrawEnergy(seed, simulation, drawn.summary);
  DrawCredit(seed, simulation, drawn.summary);
  DrawRanges(seed, simulation, drawn.summary);
  DrawCaches(seed, simulation, drawn.summary);

  // All workers together need some seconds, and a single survivor still ends.
  const double total =
      std::accumulate(simulation.true_costs.begin(), simulation.true_costs.end(), 0.0);
  const double together = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const double work = rng.Uniform(0.2, 15) * std::min(together, speeds[survivor] * 20);
  for (double& cost : simulation.true_costs) cost *= total > 0 ? work / total : 0;
  simulation.check_invariants = true;
  simulation.linger = std::chrono::seconds(1);
  return drawn;
}

double MessageBound(const SimulationConfig& simulation, Duration makespan) {
  const double regular = std::min(ToSeconds(simulation.job.balancing.lease) / 4,
                                  ToSeconds(simulation.report_interval));
  const double periods = ToSeconds(makespan) / regular + 1;
  const auto tasks = static_cast<double>(simulation.true_costs.size());
  const auto nodes = static_cast<double>(simulation.nodes.size());
  const auto faults = static_cast<double>(simulation.faults.size() + simulation.failing.size());
  return 12 * (tasks + nodes) * (1 + faults / 4) + 6 * nodes * periods;
}

}  // namespace evenkeel::support
