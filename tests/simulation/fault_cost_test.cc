// A fault may cost 5 % and one lease more than the time in which the nodes, at the speeds that they
// had over time, could have done the work.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <numeric>

#include "tests/support/example_simulations.h"

namespace evenkeel {
namespace {

using simulator::Fault;
using simulator::Simulation;
using simulator::SimulationConfig;
using std::chrono::seconds;

constexpr Duration kLease = seconds(2);
constexpr std::uint64_t kSeeds = 10;

// 8 nodes that need about 60 s together for 4000 tasks.
SimulationConfig FineTasks(std::uint64_t seed, bool costs_known) {
  SimulationConfig simulation;
  simulation.seed = seed;
  Rng rng(seed);
  for (int i = 0; i < 4000; ++i) simulation.true_costs.push_back(rng.Uniform(0.05, 0.5));
  simulation.costs_known = costs_known;
  simulation.job.workload = simulation.job.name = "synthetic";
  simulation.job.balancing.lease = kLease;
  for (int i = 0; i < 8; ++i) {
    const double speed = i < 2 ? 4.3 : i < 6 ? 2.0 : 1.0;
    simulator::NodeModel node;
    node.name = "node-" + std::to_string(i);
    node.ratio = speed;
    node.speed = simulator::SpeedProfile(speed);
    simulation.nodes.push_back(node);
  }
  return simulation;
}

// When the integral of the speeds has reached the work, in seconds. A node counts from its joining
// until it is killed or stopped for good.
double BoundOf(const SimulationConfig& simulation) {
  const double work =
      std::accumulate(simulation.true_costs.begin(), simulation.true_costs.end(), 0.0);
  const auto done_by = [&](Instant end) {
    double done = 0;
    for (std::size_t i = 0; i < simulation.nodes.size(); ++i) {
      Instant until = end;
      for (const Fault& fault : simulation.faults) {
        if (fault.node == i) until = std::min(until, Instant{fault.at});
      }
      done += simulation.nodes[i].threads *
              simulation.nodes[i].speed.Integral(Instant{simulation.nodes[i].joins_at}, until);
    }
    return done;
  };
  Duration low{};
  Duration high = std::chrono::hours(1);
  while (high - low > std::chrono::microseconds(1)) {
    const Duration middle = low + (high - low) / 2;
    (done_by(Instant{middle}) < work ? low : high) = middle;
  }
  return ToSeconds(high);
}

void ExpectCheap(const char* what, const std::function<void(SimulationConfig&)>& change) {
  for (const bool known : {true, false}) {
    double worst = 0;
    double wasted = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SimulationConfig simulation = FineTasks(seed, known);
      change(simulation);
      const double bound = BoundOf(simulation);
      const auto outcome = Simulation(simulation).Run();
      ASSERT_EQ(outcome.state, model::JobState::kComplete) << what << " seed " << seed;
      const double makespan = ToSeconds(outcome.makespan);
      EXPECT_LE(makespan, bound * 1.05 + ToSeconds(kLease)) << what << " seed " << seed;
      worst = std::max(worst, makespan / bound);
      wasted = std::max(wasted, outcome.progress.wasted_seconds);
    }
    std::printf("%-34s costs %-7s worst %.4f x bound, lease %.0f s, wasted at most %.2f s\n", what,
                known ? "known" : "unknown", worst, ToSeconds(kLease), wasted);
  }
}

Fault FaultOf(Fault::Kind kind, std::size_t node, Duration at) {
  Fault fault;
  fault.kind = kind;
  fault.node = node;
  fault.at = at;
  fault.lasts = simulator::kForEver;
  return fault;
}

TEST(FaultCost, NothingHappens) {
  ExpectCheap("nothing happens", [](SimulationConfig&) {});
}

TEST(FaultCost, ANodeSlowsToHalf) {
  ExpectCheap("a fast node slows to half", [](SimulationConfig& simulation) {
    simulation.nodes[0].speed.ChangeAt(Instant{seconds(25)}, 4.3 / 2);
  });
  ExpectCheap("the same near the end", [](SimulationConfig& simulation) {
    simulation.nodes[0].speed.ChangeAt(Instant{seconds(55)}, 4.3 / 2);
  });
}

TEST(FaultCost, ANodeStandsStillForEver) {
  for (const int at : {20, 50, 59}) {
    ExpectCheap(("a fast node hangs at " + std::to_string(at) + " s").c_str(),
                [&](SimulationConfig& simulation) {
                  simulation.faults.push_back(FaultOf(Fault::Kind::kStallWorker, 0, seconds(at)));
                });
  }
}

TEST(FaultCost, ANodeDies) {
  for (const int at : {20, 59}) {
    ExpectCheap(("a fast node dies at " + std::to_string(at) + " s").c_str(),
                [&](SimulationConfig& simulation) {
                  simulation.faults.push_back(FaultOf(Fault::Kind::kKillWorker, 0, seconds(at)));
                });
  }
}

TEST(FaultCost, ANodeJoinsInMidRun) {
  for (const bool expected : {true, false}) {
    ExpectCheap(expected ? "a late node that was expected" : "a node nobody expected",
                [&](SimulationConfig& simulation) {
                  simulation.nodes[1].joins_at = seconds(20);
                  simulation.nodes[1].expected = expected;
                });
  }
}

}  // namespace
}  // namespace evenkeel
