// Measurements of the papers beside the strategies in virtual time on the same machines.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "simulator/scenario_drawing.h"
#include "tests/simulation/scenario_files.h"

namespace evenkeel {
namespace {

using simulator::Scenario;
using simulator::ScenarioRun;

ScenarioRun RunOne(const std::string& name) {
  return RunVariants(LoadScenario(name)).begin()->second;
}

void ExpectWithin(double value, double published, double relative, const char* what) {
  std::printf("%-50s %10.4g, published %10.4g (%+.2f %%)\n", what, value, published,
              (value / published - 1) * 100);
  EXPECT_NEAR(value, published, relative * published) << what;
}

// Filipovic and Krstajic, table 1.
TEST(Papers, ModifiedMasterSlaveOnTheMachinesOfEachRun) {
  const ScenarioRun parts = RunOne("mms-1-domain-decomposition");
  ExpectWithin(parts.makespan_seconds, 1889.86, 0.03, "domain decomposition, s");
  EXPECT_NEAR(parts.utilization, 0.59, 0.015);
  const ScenarioRun slaves = RunOne("mms-2-master-slave");
  ExpectWithin(slaves.makespan_seconds, 1016.85, 0.03, "master-slave, s");
  EXPECT_NEAR(slaves.utilization, 0.9607, 0.015);
  const ScenarioRun modified = RunOne("mms-3-modified-master-slave");
  ExpectWithin(modified.makespan_seconds, 991.69, 0.03, "modified master-slave, s");
  EXPECT_NEAR(modified.utilization, 0.9629, 0.015);
  ASSERT_GE(modified.stages.size(), 3u);
  ExpectWithin(ToSeconds(modified.stages[0].end), 515.92, 0.005, "its stage 1, s");
  const auto length = [&](std::size_t i) {
    return ToSeconds(modified.stages[i].end - modified.stages[i].start);
  };
  ExpectWithin(length(1), 21.08, 0.08, "its stage 2, s");
  ExpectWithin(length(2), 454.69, 0.03, "its stage 3, s");
}

/// The smallest T by which all tasks of one second can be done: sum over cores of floor(T speed).
double BestOfWholeTasks(const simulator::SimulationConfig& simulation) {
  double low = 0;
  double high = 1e6;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    double done = 0;
    for (const auto& node : simulation.nodes) {
      done += std::floor(middle * node.speed.MaxSpeed() + 1e-9);
    }
    (done < static_cast<double>(simulation.true_costs.size()) ? low : high) = middle;
  }
  return high;
}

// On one and the same cluster: the master's idleness and the barrier cost what they cost, and
// TailStealing comes within 0.5 % of the best schedule of whole tasks.
TEST(Papers, AllStrategiesOnOneCluster) {
  const Scenario scenario = LoadScenario("mms-4-one-cluster");
  auto runs = RunVariants(scenario);
  const double best = BestOfWholeTasks(simulator::DrawSimulation(scenario, scenario.seed));
  const double ours = runs["TailStealing"].makespan_seconds;
  std::printf("TailStealing %.2f s, best of whole tasks %.2f s, mMS %.2f s, MS %.2f s\n", ours,
              best, runs["ModifiedMasterSlave"].makespan_seconds,
              runs["MasterSlave"].makespan_seconds);
  EXPECT_LE(ours, best * 1.005);
  EXPECT_GE(runs["TailStealing"].utilization, 0.985);
  for (const auto& [name, run] : runs) EXPECT_LE(ours, run.makespan_seconds + 1e-6) << name;
}

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;
};

/// The makespans of ten runs, by strategy.
std::map<std::string, MeanAndDeviation> TenRuns(const std::string& name) {
  constexpr int kRuns = 10;
  std::map<std::string, MeanAndDeviation> found;
  Scenario scenario = LoadScenario(name);
  for (int run = 0; run < kRuns; ++run, ++scenario.seed) {
    for (const auto& [strategy, one] : RunVariants(scenario)) {
      found[strategy].mean += one.makespan_seconds / kRuns;
      found[strategy].deviation += one.makespan_seconds * one.makespan_seconds / kRuns;
    }
  }
  for (auto& [strategy, one] : found) {
    one.deviation = std::sqrt((one.deviation - one.mean * one.mean) * kRuns / (kRuns - 1));
    std::printf("%-25s %-20s %7.0f s, deviation %4.0f s\n", name.c_str(), strategy.c_str(),
                one.mean, one.deviation);
  }
  return found;
}

// Filipovic and Krstajic, figure 1 and what they say of it.
TEST(Papers, SixtyFourCoresOfSixteenEightAndFourServers) {
  const auto sixteen = TenRuns("mms-5-sixteen-servers");
  const auto eight = TenRuns("mms-6-eight-servers");
  const auto four = TenRuns("mms-7-four-servers");
  for (const auto& cluster : {sixteen, eight, four}) {
    const MeanAndDeviation parts = cluster.at("DomainDecomposition");
    const MeanAndDeviation slaves = cluster.at("MasterSlave");
    EXPECT_GT(parts.mean, 1.2 * slaves.mean);
    EXPECT_GT(parts.deviation, 2 * slaves.deviation);
    EXPECT_NEAR(cluster.at("ModifiedMasterSlave").mean, slaves.mean, 0.005 * slaves.mean);
    EXPECT_LT(cluster.at("TailStealing").mean, slaves.mean);
  }
  for (const auto& [strategy, best] : eight) {
    EXPECT_LT(best.mean, sixteen.at(strategy).mean) << strategy;
    EXPECT_LT(sixteen.at(strategy).mean, four.at(strategy).mean) << strategy;
  }
}

// Zubov and Kupin: makespan as a share of the whole work on a node of speed 1. The published
// weights leave the slow board without work, equal ones give it half of the work.
TEST(Papers, PseudoRanksPutResidueClassesOnNodes) {
  const std::pair<const char*, double> expected[] = {{"zubov-1-equal", 0.501},
                                                     {"zubov-2-two-nodes", 0.1174},
                                                     {"zubov-3-weights-4-4-1", 0.1184},
                                                     {"zubov-4-weights-5-5-1", 0.1170},
                                                     {"zubov-5-weights-6-6-1", 0.1169}};
  std::map<std::string, double> shares;
  double bound = 0;
  for (const auto& [name, share] : expected) {
    const ScenarioRun run = RunOne(name);
    const double whole = run.lower_bound_seconds * (4.26 + 4.30 + 1);
    bound = 1 / (4.26 + 4.30 + 1);
    shares[name] = run.makespan_seconds / whole;
    ExpectWithin(shares[name], share, 0.003, name);
  }
  EXPECT_NEAR(bound, 0.1046, 0.0001);
  EXPECT_NEAR(shares["zubov-1-equal"] / shares["zubov-4-weights-5-5-1"], 4.3, 0.05);
  auto by_cost = RunVariants(LoadScenario("zubov-6-measured-weights"));
  const double gain =
      by_cost["Interleaved"].makespan_seconds / by_cost["TailStealing"].makespan_seconds;
  std::printf("TailStealing is %.1f %% faster than pseudo-ranks\n", (gain - 1) * 100);
  EXPECT_GT(gain, 1.08);
}

}  // namespace
}  // namespace evenkeel
