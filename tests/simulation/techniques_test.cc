// Techniques from the literature in whole jobs: against a list scheduler that is written apart from
// the engine, and message by message for the ones that steal or hand out twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "simulator/simulation.h"

namespace evenkeel {
namespace {

using scheduling::TechniqueName;
using simulator::Outcome;
using simulator::Simulation;
using simulator::SimulationConfig;

/// Messages and commits take no time, so that only the technique counts.
SimulationConfig QuickSimulation(const std::vector<double>& costs,
                                 const std::vector<double>& speeds) {
  SimulationConfig simulation;
  simulation.true_costs = costs;
  simulation.costs_known = false;
  simulation.network.latency = simulation.commit_latency = Duration::zero();
  simulation.job.workload = simulation.job.name = "techniques";
  for (const double speed : speeds) {
    simulator::NodeModel node;
    node.name = "n" + std::to_string(simulation.nodes.size());
    node.ratio = speed;
    node.speed = simulator::SpeedProfile(speed);
    simulation.nodes.push_back(node);
  }
  return simulation;
}

Outcome RunUnder(TechniqueName technique, SimulationConfig simulation) {
  simulation.technique = technique;
  Outcome outcome = Simulation(std::move(simulation)).Run();
  EXPECT_EQ(outcome.state, model::JobState::kComplete);
  return outcome;
}

std::size_t CeilOf(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

using Rule = std::function<std::size_t(std::size_t remaining)>;

/// The node that is free first takes the next tasks; of several, the one with the lowest number.
double ListSchedule(const std::vector<double>& costs, const std::vector<double>& speeds,
                    const Rule& rule) {
  std::vector<double> free_at(speeds.size());
  for (std::size_t next = 0; next < costs.size();) {
    const auto first = std::min_element(free_at.begin(), free_at.end());
    const std::size_t end = next + std::min(rule(costs.size() - next), costs.size() - next);
    for (; next < end; ++next) {
      *first += costs[next] / speeds[static_cast<std::size_t>(first - free_at.begin())];
    }
  }
  return *std::max_element(free_at.begin(), free_at.end());
}

Rule Halving(std::size_t workers) {
  auto left = std::make_shared<std::size_t>(0);
  auto chunk = std::make_shared<std::size_t>(0);
  return [=](std::size_t remaining) {
    if (*left == 0) {
      *left = workers;
      *chunk = CeilOf(remaining, 2 * workers);
    }
    --*left;
    return *chunk;
  };
}

TEST(Techniques, MakespansAreThoseOfAnIndependentListScheduler) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    std::vector<double> costs(static_cast<std::size_t>(rng.Between(50, 600)));
    for (double& cost : costs) cost = rng.Uniform(0.05, 1);
    std::vector<double> speeds(static_cast<std::size_t>(rng.Between(2, 9)));
    for (double& speed : speeds) speed = rng.Uniform(1, 5);
    const std::size_t n = costs.size();
    const std::size_t p = speeds.size();
    const std::pair<TechniqueName, Rule> cases[] = {
        {TechniqueName::kStaticChunking, [=](std::size_t) { return CeilOf(n, p); }},
        {TechniqueName::kSelfScheduling, [](std::size_t) { return std::size_t{1}; }},
        {TechniqueName::kGuidedSelfScheduling, [=](std::size_t left) { return CeilOf(left, p); }},
        {TechniqueName::kPracticalFactoring, Halving(p)}};
    for (const auto& [technique, rule] : cases) {
      const double expected = ListSchedule(costs, speeds, rule);
      const double makespan =
          ToSeconds(RunUnder(technique, QuickSimulation(costs, speeds)).makespan);
      EXPECT_NEAR(makespan, expected, 1e-6) << ToString(technique) << " seed " << seed;
    }
  }
}

// N equal tasks on P equal nodes: ceil(N / P) tasks one after the other, however few are handed out
// at a time.
TEST(Techniques, EqualTasksOnEqualNodesHaveAClosedForm) {
  for (const std::size_t tasks : {16u, 17u, 1000u}) {
    const SimulationConfig simulation =
        QuickSimulation(std::vector<double>(tasks, 0.5), {1, 1, 1, 1});
    const double expected = 0.5 * static_cast<double>(CeilOf(tasks, 4));
    for (const auto technique : {TechniqueName::kStaticChunking, TechniqueName::kSelfScheduling}) {
      EXPECT_NEAR(ToSeconds(RunUnder(technique, simulation).makespan), expected, 1e-6);
    }
  }
  // Halving: 128, 64, ... 1 and 1 of 1,024 tasks for each of four. By guided self-scheduling the
  // first of two has 8 of 16 tasks, the other 4, 2, 1 and the last one.
  const SimulationConfig halved = QuickSimulation(std::vector<double>(1024, 0.5), {1, 1, 1, 1});
  EXPECT_NEAR(ToSeconds(RunUnder(TechniqueName::kPracticalFactoring, halved).makespan), 128, 1e-6);
  const SimulationConfig guided = QuickSimulation(std::vector<double>(16, 1), {1, 1});
  EXPECT_NEAR(ToSeconds(RunUnder(TechniqueName::kGuidedSelfScheduling, guided).makespan), 8, 1e-6);
}

/// The shortest schedule there is, by trying all of them.
double Shortest(const std::vector<double>& costs, const std::vector<double>& speeds) {
  std::size_t schedules = 1;
  for (std::size_t i = 0; i < costs.size(); ++i) schedules *= speeds.size();
  double best = 1e9;
  for (std::size_t schedule = 0; schedule < schedules; ++schedule) {
    std::vector<double> ends(speeds.size());
    std::size_t rest = schedule;
    for (const double cost : costs) {
      ends[rest % speeds.size()] += cost / speeds[rest % speeds.size()];
      rest /= speeds.size();
    }
    best = std::min(best, *std::max_element(ends.begin(), ends.end()));
  }
  return best;
}

// STATIC is its blocks' sums. Nobody is shorter than the shortest schedule, and on equal nodes one
// task at a time is at most 2 - 1/P times as long (Graham, "Bounds on multiprocessing timing
// anomalies", SIAM Journal on Applied Mathematics 17, 1969).
TEST(Techniques, TinyJobsAgainstAllTheirSchedules) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    std::vector<double> costs(static_cast<std::size_t>(rng.Between(3, 8)));
    for (double& cost : costs) cost = rng.Uniform(0.1, 1);
    std::vector<double> speeds(3, 1.0);
    if (seed % 2 == 0) speeds = {4.3, 2, 1};
    const double shortest = Shortest(costs, speeds);
    for (const auto technique :
         {TechniqueName::kStaticChunking, TechniqueName::kSelfScheduling,
          TechniqueName::kGuidedSelfScheduling, TechniqueName::kPracticalFactoring}) {
      const double makespan =
          ToSeconds(RunUnder(technique, QuickSimulation(costs, speeds)).makespan);
      EXPECT_GE(makespan, shortest - 1e-6) << ToString(technique) << " seed " << seed;
      if (technique == TechniqueName::kSelfScheduling && seed % 2 == 1) {
        EXPECT_LE(makespan, shortest * (2 - 1.0 / 3) + 1e-6) << "seed " << seed;
      }
    }
    std::vector<double> blocks(speeds.size());
    const std::size_t block = CeilOf(costs.size(), speeds.size());
    for (std::size_t i = 0; i < costs.size(); ++i)
      blocks[i / block] += costs[i] / speeds[i / block];
    const auto fixed = RunUnder(TechniqueName::kStaticChunking, QuickSimulation(costs, speeds));
    EXPECT_NEAR(ToSeconds(fixed.makespan), *std::max_element(blocks.begin(), blocks.end()), 1e-6);
  }
}

struct TinyRun {
  std::vector<std::string> decisions;  // "tenths of a second: message"
  Outcome outcome;
};

TinyRun RunTiny(TechniqueName technique, SimulationConfig simulation) {
  TinyRun run;
  simulation.trace = [&run](const std::string& line) {
    const bool decides = line.find(" <- assign") != std::string::npos ||
                         line.find(" <- recall") != std::string::npos ||
                         line.find(" -> give-back") != std::string::npos;
    if (!decides) return;
    const auto tenths = static_cast<int>(std::stod(line) * 10);
    run.decisions.push_back(std::to_string(tenths) + ": " + line.substr(line.find('n')));
  };
  run.outcome = RunUnder(technique, std::move(simulation));
  return run;
}

using Lines = std::vector<std::string>;

TEST(Techniques, GuidedSelfSchedulingHandsOutSmallerAndSmallerChunks) {
  const TinyRun run = RunTiny(TechniqueName::kGuidedSelfScheduling,
                              QuickSimulation(std::vector<double>(8, 1.0), {2, 1}));
  EXPECT_EQ(run.decisions, (Lines{"0: n0 <- assign [0,4)#1", "0: n1 <- assign [4,6)#2",
                                  "20: n1 <- assign [6,7)#3", "20: n0 <- assign [7,8)#4"}));
}

TEST(Techniques, StaticStealingTakesAQuarterFromTheNextOne) {
  const TinyRun run = RunTiny(TechniqueName::kStaticStealing,
                              QuickSimulation(std::vector<double>(24, 1.0), {4, 1}));
  // After 3 s the fast node is through; the slow one has reported 3 of its 12 by then, one more
  // runs: 8 wait.
  ASSERT_GE(run.decisions.size(), 5u);
  EXPECT_EQ(
      Lines(run.decisions.begin(), run.decisions.begin() + 5),
      (Lines{"0: n0 <- assign [0,12)#1", "0: n1 <- assign [12,24)#2", "30: n1 <- recall 1 of 2",
             "30: n1 -> give-back 1 [22,24)#2", "30: n0 <- assign [22,24)#3"}));
  EXPECT_GT(run.outcome.progress.moves.leased, 1);
  EXPECT_LT(ToSeconds(run.outcome.makespan), 6.1);
}

TEST(Techniques, RandomStealingTakesHalf) {
  const TinyRun run = RunTiny(TechniqueName::kRandomStealing,
                              QuickSimulation(std::vector<double>(24, 1.0), {4, 1}));
  ASSERT_GE(run.decisions.size(), 3u);
  EXPECT_EQ(run.decisions[2], "30: n1 <- recall 1 of 4");
}

// The second node stalls with its tasks; the first one runs them as well.
TEST(Techniques, WhatIsNotDoneIsHandedOutOnceMore) {
  SimulationConfig simulation = QuickSimulation(std::vector<double>(8, 1.0), {1, 1});
  simulation.job.balancing.lease = std::chrono::seconds(1000);
  simulation.faults.push_back({simulator::Fault::Kind::kStallWorker, 1,
                               std::chrono::milliseconds(1500), simulator::kForEver,
                               Duration::zero()});
  simulation.technique_options.reissue = true;
  const TinyRun run = RunTiny(TechniqueName::kSelfScheduling, simulation);
  EXPECT_EQ(run.outcome.progress.moves.copies, 1);
  EXPECT_EQ(run.decisions.back(), "60: n0 <- assign [3,4)#9c");
  EXPECT_NEAR(ToSeconds(run.outcome.makespan), 7, 0.1);
  simulation.technique_options.reissue = false;
  EXPECT_GT(ToSeconds(RunUnder(TechniqueName::kSelfScheduling, simulation).makespan), 1000);
}

}  // namespace
}  // namespace evenkeel
