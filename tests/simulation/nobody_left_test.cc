// All workers are lost at once, and one of them comes back: under every strategy it does what is
// left.
#include <gtest/gtest.h>

#include <string>

#include "simulator/simulated_strategy.h"
#include "simulator/simulation.h"

namespace evenkeel {
namespace {

using simulator::Fault;
using simulator::SimulatedStrategy;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTasks = 120;
constexpr std::size_t kNodes = 3;

class NobodyLeft : public testing::TestWithParam<SimulatedStrategy> {
 protected:
  // Three nodes; at five seconds a third of the work is done.
  static simulator::SimulationConfig Nodes() {
    simulator::SimulationConfig simulation;
    simulation.true_costs.assign(kTasks, 0.4);
    simulation.job.workload = simulation.job.name = "nobody-left";
    simulation.job.balancing.strategy = GetParam().strategy;
    simulation.technique = GetParam().technique;
    simulation.job.balancing.lease = seconds(2);
    for (std::size_t i = 0; i < kNodes; ++i) {
      simulator::NodeModel node;
      node.name = "node-" + std::to_string(i);
      simulation.nodes.push_back(node);
    }
    return simulation;
  }

  // Each worker in turn is the only one that returns, after `away`.
  static void ExpectDoneAfter(Duration away) {
    for (std::size_t last = 0; last < kNodes; ++last) {
      for (std::size_t first = 0; first < kNodes; ++first) ExpectDoneBy(last, away, first);
    }
  }

 private:
  // They die one soon after the other, `first` first.
  static void ExpectDoneBy(std::size_t last, Duration away, std::size_t first) {
    SCOPED_TRACE("node-" + std::to_string(last) + " is back after " +
                 std::to_string(ToSeconds(away)) + " s, node-" + std::to_string(first) +
                 " died first");
    simulator::SimulationConfig simulation = Nodes();
    for (std::size_t i = 0; i < kNodes; ++i) {
      const std::size_t node = (first + i) % kNodes;
      simulation.faults.push_back({.kind = Fault::Kind::kKillWorker,
                                   .node = node,
                                   .at = seconds(5) + milliseconds(10 * i),
                                   .lasts = node == last ? away : simulator::kForEver});
    }
    const simulator::Outcome outcome = simulator::Simulation(simulation).Run();
    EXPECT_EQ(outcome.state, model::JobState::kComplete);
    EXPECT_EQ(outcome.progress.tasks_completed, kTasks);
    EXPECT_LT(ToSeconds(outcome.makespan), 0.4 * kTasks + ToSeconds(away) + 30);
  }
};

TEST_P(NobodyLeft, BeforeTheLeasesEnd) { ExpectDoneAfter(milliseconds(1300)); }

TEST_P(NobodyLeft, WhenTheLeasesEnd) { ExpectDoneAfter(milliseconds(2005)); }

TEST_P(NobodyLeft, LongAfterTheLeasesEnded) { ExpectDoneAfter(seconds(30)); }

TEST_P(NobodyLeft, AndTheOneThatComesBackHadNothingBefore) {
  simulator::SimulationConfig simulation = Nodes();
  simulation.nodes.pop_back();
  simulation.nodes[1].joins_at = seconds(4);  // so long after the lease's end all is the other's
  simulation.faults = {
      {.kind = Fault::Kind::kKillWorker, .node = 1, .at = seconds(5), .lasts = seconds(10)},
      {.kind = Fault::Kind::kKillWorker,
       .node = 0,
       .at = seconds(5) + milliseconds(10),
       .lasts = simulator::kForEver}};
  const simulator::Outcome outcome = simulator::Simulation(simulation).Run();
  EXPECT_EQ(outcome.state, model::JobState::kComplete);
  EXPECT_EQ(outcome.progress.tasks_completed, kTasks);
}

std::string NameOf(const testing::TestParamInfo<SimulatedStrategy>& info) {
  std::string name = ToString(info.param);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Strategies, NobodyLeft,
                         testing::ValuesIn(simulator::AllSimulatedStrategies()), NameOf);

}  // namespace
}  // namespace evenkeel
