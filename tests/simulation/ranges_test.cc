// Programs that do a range of tasks in one run, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
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
  for (const char* weights : {"speeds", "equal", "inverse", "equal, with progress"}) {
    SimulationConfig simulation = Trio();
    simulation.runs_report_progress = weights == std::string("equal, with progress");
    for (auto& node : simulation.nodes) {
      if (std::string(weights).starts_with("equal")) node.ratio = 1;
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

// Items of a second, an hour of them on each node if all were as fast as they seem at first.
TEST(Ranges, ARunOfAnHourIsCutSoThatAllNodesFinishWithinATask) {
  SimulationConfig simulation = Trio();
  simulation.runs_report_progress = true;
  simulation.true_costs.assign(3'600, 1);
  simulation.startup_seconds = 0.1;
  for (auto& node : simulation.nodes) {
    node.speed = simulator::SpeedProfile(1);
    node.ratio = 1;
  }
  // Half an hour into the run of the third node, it becomes three times as slow.
  simulation.nodes[2].speed.ChangeAt(Instant{seconds(600)}, 1.0 / 3);
  std::vector<double> ends(3);
  const auto node_of = [](const std::string& name) {
    return static_cast<std::size_t>(name.back() - '0');
  };
  simulation.recorder.on_result = [&](const model::ResultRecord& record) {
    double& end = ends[node_of(record.node)];
    end = std::max(end, ToSeconds(record.ended));
  };
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  ExpectAllRunOnce(outcome);
  std::printf("ranges, cut: nodes end after %.1f, %.1f and %.1f s\n", ends[0], ends[1], ends[2]);
  const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
  EXPECT_LE(*last - *first, 3.0) << "a task takes 3 s on the slowest node";
  // 1,800 tasks in 600 s, and then 7 in 3 s.
  EXPECT_LE(*last, 1.01 * (600 + 1'800 * 3.0 / 7));
}

TEST(Ranges, ARunOfAThrottledNodeIsCut) {
  SimulationConfig simulation = Trio();
  simulation.runs_report_progress = true;
  simulation.nodes[0].speed.ChangeAt(Instant{seconds(60)}, kSpeeds[0] / 4);
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  ExpectAllRunOnce(outcome);
  const double bound = 60 + (BoundSeconds() - 60) * 0.89 / 0.59;
  const double makespan = ToSeconds(outcome.progress.last_durable);
  std::printf("ranges, throttled and cut: %.1f s, bound %.1f s\n", makespan, bound);
  EXPECT_LE(makespan, 1.06 * bound);
}

TEST(Ranges, TheEndIsPredictedByTheProgressOfRuns) {
  SimulationConfig simulation = Trio();
  simulation.runs_report_progress = true;
  std::vector<model::TimelineEvent> predictions;
  simulation.recorder.on_event = [&predictions](const model::TimelineEvent& event) {
    if (event.kind == model::TimelineEvent::Kind::kEta) predictions.push_back(event);
  };
  const Outcome outcome = Simulation(std::move(simulation)).Run();
  const double makespan = ToSeconds(outcome.progress.last_durable);
  int checked = 0;
  for (const auto& prediction : predictions) {
    const double at = ToSeconds(prediction.start);
    if (at < makespan / 4) continue;  // the slowest node still starts its program
    ++checked;
    EXPECT_NEAR(ToSeconds(prediction.end), makespan, 0.1 * makespan) << "at " << at << " s";
  }
  EXPECT_GE(checked, 20);
}

TEST(Ranges, NodesAndTheCoordinatorMayDie) {
  SimulationConfig simulation = Trio();
  simulation.runs_report_progress = true;
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
