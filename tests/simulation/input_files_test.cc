// Jobs whose tasks have input files that nodes fetch while other tasks run, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/scheduling/tail_stealing/medium_shares.h"
#include "simulator/simulation.h"
#include "tests/simulation/all_run_once.h"

namespace evenkeel {
namespace {

using simulator::NodeModel;
using simulator::Outcome;
using simulator::Simulation;
using simulator::SimulationConfig;

constexpr double kMegabit = 1e6 / 8;

/// Nodes of equal speed behind links of 100, 10 and 2 Mbit/s, so many each; each task takes a
/// second.
SimulationConfig ThreeLinks(std::size_t tasks, double file_bytes, int nodes_each = 1) {
  SimulationConfig simulation;
  simulation.true_costs.assign(tasks, 1.0);
  simulation.costs_known = false;
  simulation.file_bytes = file_bytes;
  simulation.job.workload = simulation.job.name = "files";
  for (int n = 0; n < nodes_each; ++n) {
    for (const double megabits : {100.0, 10.0, 2.0}) {
      NodeModel node;
      node.name = std::to_string(static_cast<int>(megabits)) + "-" + std::to_string(n);
      node.link_bytes_per_second = megabits * kMegabit;
      simulation.nodes.push_back(node);
    }
  }
  return simulation;
}

double Seconds(const SimulationConfig& simulation) {
  const Outcome outcome = Simulation(simulation).Run();
  ExpectAllRunOnce(outcome);
  return ToSeconds(outcome.makespan);
}

double BoundOf(const SimulationConfig& simulation, const std::vector<double>& tasks_per_second) {
  double rate = 0;
  for (const double each : tasks_per_second) rate += each;
  return static_cast<double>(simulation.true_costs.size()) / rate;
}

/// By the linear program of links that carry data side by side.
double OwnLinksBound(const SimulationConfig& simulation) {
  std::vector<double> rates;
  for (const NodeModel& node : simulation.nodes) {
    rates.push_back(std::min(1.0, node.link_bytes_per_second / simulation.file_bytes));
  }
  return BoundOf(simulation, rates);
}

double SharedMediumBound(const SimulationConfig& simulation) {
  std::vector<scheduling::MediumUser> users;
  for (const NodeModel& node : simulation.nodes) {
    users.push_back({1, simulation.file_bytes / node.link_bytes_per_second});
  }
  return BoundOf(simulation, scheduling::DivideMedium(users, 1));
}

TEST(InputFiles, EachLinkCarriesWhatItCan) {
  const SimulationConfig simulation = ThreeLinks(1000, 1e6);
  EXPECT_LT(Seconds(simulation), 1.03 * OwnLinksBound(simulation));
}

// A file for a link of 2 Mbit/s takes as long as 50 for one of 100 Mbit/s.
TEST(InputFiles, SlowLinksToASharedMediumDoNotHoldUpTheOthers) {
  SimulationConfig simulation = ThreeLinks(4000, 2.5e5, 2);
  simulation.network.shared_medium = true;
  const double bound = SharedMediumBound(simulation);
  const double shared = Seconds(simulation);
  // Without a division all links would get the same number of files.
  double all_transfers = 0;
  for (const NodeModel& node : simulation.nodes) {
    all_transfers += simulation.file_bytes / node.link_bytes_per_second;
  }
  const double in_turn = 4000.0 / 6 * all_transfers;
  std::printf("%.1f s: %.2f times the bound; files in turn: %.2f times\n", shared, shared / bound,
              in_turn / bound);
  EXPECT_LT(shared, 1.2 * bound);
  EXPECT_GT(in_turn, 1.7 * bound);
}

TEST(InputFiles, LinksThatAreNotSharedLoseLittleByTrials) {
  const SimulationConfig simulation = ThreeLinks(2000, 5e5);
  EXPECT_LT(Seconds(simulation), 1.03 * OwnLinksBound(simulation));
}

/// A second job with the same files: each node has those of a third of the tasks, drawn.
SimulationConfig SecondJob(std::size_t tasks, double file_bytes) {
  SimulationConfig simulation = ThreeLinks(tasks, file_bytes);
  for (std::size_t node = 0; node < 3; ++node) simulation.cached.push_back({{}, node});
  Rng rng(1);
  for (std::size_t task = 0; task < tasks; ++task) {
    const auto index = static_cast<model::TaskIndex>(task);
    simulation.cached[static_cast<std::size_t>(rng.Below(3))].tasks.Insert({index, index + 1});
  }
  return simulation;
}

// 2 MB take 8 s on the slowest link, eight times as long as computing.
TEST(InputFiles, TasksRunWhereTheirFilesAre) {
  const SimulationConfig simulation = SecondJob(600, 2e6);
  EXPECT_LT(Seconds(simulation), 1.05 * 200);
  SimulationConfig unknown = simulation;
  unknown.cached.clear();
  EXPECT_GT(Seconds(unknown), 1.3 * 200) << "if all files had to be fetched";
}

TEST(InputFiles, ANodeThatFallsBehindIsRelievedOfTasksThatOthersHave) {
  SimulationConfig simulation = SecondJob(600, 2e6);
  // The second node becomes three times as slow. The first one has all of its files, too.
  simulation.nodes[1].speed.ChangeAt(Instant{std::chrono::seconds(50)}, 1.0 / 3);
  simulation.cached[1].tasks.ForEach(
      [&](model::IndexRange range) { simulation.cached[0].tasks.Insert(range); });
  // By time t, the first one can do t tasks, the second one 50 + (t - 50) / 3, and the third one
  // its 202 and then one in 8 s.
  const auto own = static_cast<double>(simulation.cached[2].tasks.Size());
  const double bound = (600 - 50 + 50.0 / 3 - own + own / 8) / (1 + 1.0 / 3 + 1.0 / 8);
  EXPECT_LT(Seconds(simulation), 1.05 * bound);
}

// A job goes on when a worker that has said what it has is lost, and when the coordinator is.
TEST(InputFiles, AllTasksRunOnceInSpiteOfFaults) {
  using simulator::Fault;
  using std::chrono::seconds;
  SimulationConfig simulation = SecondJob(200, 5e5);
  simulation.check_invariants = true;
  simulation.faults = {{Fault::Kind::kKillWorker, 0, seconds(10), simulator::kForEver, {}},
                       {Fault::Kind::kKillCoordinator, 0, seconds(20), seconds(2), {}},
                       {Fault::Kind::kCutLink, 1, seconds(30), seconds(3), {}},
                       {Fault::Kind::kKillWorker, 2, seconds(40), seconds(3), {}}};
  ExpectAllRunOnce(Simulation(simulation).Run());
}

}  // namespace
}  // namespace evenkeel
