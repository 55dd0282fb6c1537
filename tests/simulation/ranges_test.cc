// Programs that do a range of tasks in one run, in virtual time.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "simulator/simulated_strategy.h"
#include "tests/simulation/all_run_once.h"

namespace evenkeel {
namespace {

using simulator::Fault;
using simulator::Outcome;
using simulator::Simulation;
using simulator::SimulationConfig;
using std::chrono::seconds;

constexpr double kStartupSeconds = 0.5;
constexpr double kTaskSeconds = 0.005;
constexpr double kSpeeds[] = {0.40, 0.40, 0.09};

/// 20,000 tasks on nodes of speeds 0.40, 0.40 and 0.09.
SimulationConfig Trio() {
  SimulationConfig simulation;
  simulation.job.name = simulation.job.workload = "ranges";
  simulation.job.task_policy.timeout = std::chrono::hours(10);
  simulation.true_costs.assign(20'000, kTaskSeconds);
  simulation.costs_known = false;
  simulation.ranges.emplace();
  simulation.startup_seconds = kStartupSeconds;
  for (const double speed : kSpeeds) {
    simulator::NodeModel node;
    node.name = "node-" + std::to_string(simulation.nodes.size());
    node.ratio = speed;
    node.speed = simulator::SpeedProfile(speed);
    simulation.nodes.push_back(node);
  }
  simulation.check_invariants = true;
  return simulation;
}

/// With one start of the program per node.
double BoundSeconds() {
  double speeds = 0;
  for (const double speed : kSpeeds) speeds += speed;
  return (20'000 * kTaskSeconds + std::size(kSpeeds) * kStartupSeconds) / speeds;
}

double MakespanOverBound(const Outcome& outcome) {
  return ToSeconds(outcome.progress.last_durable) / BoundSeconds();
}

TEST(Ranges, FewStartsSufficeWhateverTheWeights) {
  for (const char* weights : {"speeds", "equal", "inverse"}) {
    SimulationConfig simulation = Trio();
    for (auto& node : simulation.nodes) {
      if (weights == std::string("equal")) node.ratio = 1;
      if (weights == std::string("inverse")) node.ratio = 1 / node.ratio;
    }
    const Outcome outcome = Simulation(std::move(simulation)).Run();
    ExpectAllRunOnce(outcome);
    std::printf("ranges, weights %s: %.4f x bound\n", weights, MakespanOverBound(outcome));
    EXPECT_LE(MakespanOverBound(outcome), 1.06) << weights;
  }
}

TEST(Ranges, RunsAreWithinTheirBounds) {
  SimulationConfig simulation = Trio();
  simulation.ranges = model::RangeBounds{100, 400};
  std::vector<model::IndexRange> runs;
  simulation.recorder.on_result = [&runs](const model::ResultRecord& record) {
    runs.push_back(record.range);
  };
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  ExpectAllRunOnce(outcome);
  EXPECT_GE(runs.size(), 50U);
  for (const model::IndexRange run : runs) {
    EXPECT_LE(run.Size(), 400);
    EXPECT_GE(run.Size(), run.end < 20'000 ? 100 : 1);
  }
}

TEST(Ranges, AFailingTaskIsFoundAndTheOthersOfItsRunsAreDone) {
  SimulationConfig simulation = Trio();
  constexpr int kAlways = 1'000'000;
  simulation.failing = {{7, kAlways}, {12'345, kAlways}, {19'999, 1}};
  simulation.job.task_policy.backoff_limit_per_task = 1;
  simulation.job.task_policy.max_failed_tasks = 2;
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  EXPECT_EQ(outcome.state, model::JobState::kComplete) << outcome.reason;
  EXPECT_EQ(outcome.progress.failed_indexes, "7,12345");
  EXPECT_EQ(outcome.progress.tasks_completed, 19'998);
  for (std::size_t task = 0; task < outcome.times_durable.size(); ++task) {
    EXPECT_EQ(outcome.times_durable[task], task == 7 || task == 12'345 ? 0 : 1) << task;
  }
}

TEST(Ranges, AThrottledNodeDoesNotKeepTheJobWaiting) {
  SimulationConfig simulation = Trio();
  // At a quarter of its speed from the middle of the job on.
  simulation.nodes[0].speed.ChangeAt(Instant{seconds(60)}, kSpeeds[0] / 4);
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  ExpectAllRunOnce(outcome);
  // 44 s of both fast nodes and the slow one are left at 60 s, and 0.59 of the speed.
  const double bound = 60 + (BoundSeconds() - 60) * 0.89 / 0.59;
  std::printf("ranges, throttled: %.1f s, bound %.1f s\n", ToSeconds(outcome.progress.last_durable),
              bound);
  EXPECT_LE(ToSeconds(outcome.progress.last_durable), 1.35 * bound);
}

TEST(Ranges, NodesAndTheCoordinatorMayDie) {
  SimulationConfig simulation = Trio();
  simulation.faults = {{Fault::Kind::kKillWorker, 1, seconds(20), seconds(5), {}},
                       {Fault::Kind::kKillCoordinator, 0, seconds(50), seconds(2), {}},
                       {Fault::Kind::kKillWorker, 2, seconds(70), simulator::kForEver, {}},
                       {Fault::Kind::kCutLink, 0, seconds(80), seconds(6), {}}};
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  ExpectAllRunOnce(outcome);
  EXPECT_EQ(outcome.coordinator_starts, 2U);
}

TEST(Ranges, TheProgramsOfOtherStrategiesDoTheirGrants) {
  SimulationConfig simulation = Trio();
  simulation.job.balancing.strategy = model::StrategyName::kMasterSlave;
  simulation.job.balancing.master_slave.chunk_tasks = 500;
  simulation.job.balancing.master_slave.dedicated_coordinator = true;
  int runs = 0;
  simulation.recorder.on_result = [&runs](const model::ResultRecord&) { ++runs; };
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  ExpectAllRunOnce(outcome);
  EXPECT_EQ(runs, 40);
}

}  // namespace
}  // namespace evenkeel
