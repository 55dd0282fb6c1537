// A fault may cost 5 % and one lease more than the time in which the nodes, at the speeds that they
// had over time, could have done the work.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <numeric>

#include "tests/support/worlds.h"

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
  SimulationConfig world;
  world.seed = seed;
  Rng rng(seed);
  for (int i = 0; i < 4000; ++i) world.true_costs.push_back(rng.Uniform(0.05, 0.5));
  world.costs_known = costs_known;
  world.job.workload = world.job.name = "synthetic";
  world.job.balancing.lease = kLease;
  for (int i = 0; i < 8; ++i) {
    const double speed = i < 2 ? 4.3 : i < 6 ? 2.0 : 1.0;
    simulator::NodeModel node;
    node.name = "node-" + std::to_string(i);
    node.ratio = speed;
    node.speed = simulator::SpeedProfile(speed);
    world.nodes.push_back(node);
  }
  return world;
}

// When the integral of the speeds has reached the work, in seconds. A node counts from its joining
// until it is killed or stands still for ever.
double BoundOf(const SimulationConfig& world) {
  const double work = std::accumulate(world.true_costs.begin(), world.true_costs.end(), 0.0);
  const auto done_by = [&](Instant end) {
    double done = 0;
    for (std::size_t i = 0; i < world.nodes.size(); ++i) {
      Instant until = end;
      for (const Fault& fault : world.faults) {
        if (fault.node == i) until = std::min(until, Instant{fault.at});
      }
      done += world.nodes[i].threads *
              world.nodes[i].speed.Integral(Instant{world.nodes[i].joins_at}, until);
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
      SimulationConfig world = FineTasks(seed, known);
      change(world);
      const double bound = BoundOf(world);
      const auto outcome = Simulation(world).Run();
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
  ExpectCheap("a fast node slows to half", [](SimulationConfig& world) {
    world.nodes[0].speed.ChangeAt(Instant{seconds(25)}, 4.3 / 2);
  });
  ExpectCheap("the same near the end", [](SimulationConfig& world) {
    world.nodes[0].speed.ChangeAt(Instant{seconds(55)}, 4.3 / 2);
  });
}

TEST(FaultCost, ANodeStandsStillForEver) {
  for (const int at : {20, 50, 59}) {
    ExpectCheap(("a fast node hangs at " + std::to_string(at) + " s").c_str(),
                [&](SimulationConfig& world) {
                  world.faults.push_back(FaultOf(Fault::Kind::kStallWorker, 0, seconds(at)));
                });
  }
}

TEST(FaultCost, ANodeDies) {
  for (const int at : {20, 59}) {
    ExpectCheap(("a fast node dies at " + std::to_string(at) + " s").c_str(),
                [&](SimulationConfig& world) {
                  world.faults.push_back(FaultOf(Fault::Kind::kKillWorker, 0, seconds(at)));
                });
  }
}

TEST(FaultCost, ANodeJoinsInMidRun) {
  for (const bool expected : {true, false}) {
    ExpectCheap(expected ? "a late node that was expected" : "a node nobody expected",
                [&](SimulationConfig& world) {
                  world.nodes[1].joins_at = seconds(20);
                  world.nodes[1].expected = expected;
                });
  }
}

}  // namespace
}  // namespace evenkeel
