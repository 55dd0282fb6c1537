// objective Energy on the production scheduler in virtual time: joules against time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "core/scheduling/energy/energy_choice.h"
#include "simulator/simulation.h"

namespace evenkeel {
namespace {

using model::NodePower;
using simulator::Simulation;
using simulator::SimulationConfig;

struct Board {
  std::string name;
  double speed;
  NodePower power;
};

Board Of(const std::string& name, double speed, double watts) {
  return {name, speed, {watts, 0.4 * watts}};
}

/// The paper's cluster, with the speeds of the default policy.
std::vector<Board> Trio() {
  return {Of("pi4-a", 4.27, 6.4), Of("pi4-b", 4.31, 6.4), Of("pi3", 1, 5.1)};
}

/// TenBoards boards of five kinds; speeds in GHz of Cortex-A53 cores, power as the catalogue has
/// it.
std::vector<Board> TenBoards() {
  return {Of("pi5-a", 21.1, 8.8), Of("pi5-b", 21.1, 8.8), Of("pi4-a", 10.2, 6.4),
          Of("pi4-b", 10.2, 6.4), Of("pi4-c", 10.2, 6.4), Of("pi3-a", 4.8, 5.1),
          Of("pi3-b", 4.8, 5.1),  Of("pi3-c", 4.8, 5.1),  Of("zero", 4.0, 3.0),
          Of("x86", 25, 45)};
}

double SpeedOf(const std::vector<Board>& boards) {
  double sum = 0;
  for (const auto& board : boards) sum += board.speed;
  return sum;
}

struct Figures {
  double joules = 0;   // above idle
  double seconds = 0;  // until the last durable result
  double fastest = 0;  // by the true speeds of all boards
};

struct Case {
  std::vector<Board> boards;
  model::Objective objective = model::Objective::kTime;
  double factor = 1;
  std::uint64_t seed = 1;
  double lie = 1;  // weights are wrong by a random factor of at most this
  bool costs_known = true;
  bool leave_out = true;  // as the operator and `evenkeel run` do it
};

/// 4,000 tasks that take all boards together about two minutes.
SimulationConfig SimulationOf(const Case& wanted) {
  SimulationConfig simulation;
  simulation.seed = wanted.seed;
  Rng rng(wanted.seed);
  const double scale = SpeedOf(wanted.boards) * 120 / 4000;
  for (int i = 0; i < 4000; ++i) simulation.true_costs.push_back(rng.Uniform(0.5, 1.5) * scale);
  simulation.costs_known = wanted.costs_known;
  simulation.job.name = "energy";
  simulation.job.balancing.objective = wanted.objective;
  simulation.job.balancing.energy.time_factor = wanted.factor;
  std::vector<scheduling::EnergyCandidate> candidates;
  for (const auto& board : wanted.boards) {
    simulator::NodeModel node;
    node.name = board.name;
    node.ratio = board.speed * std::pow(wanted.lie, rng.Uniform(-1, 1));
    node.speed = simulator::SpeedProfile(board.speed);
    node.power = board.power;
    simulation.nodes.push_back(node);
    candidates.push_back({node.ratio, node.power});
  }
  if (wanted.objective == model::Objective::kTime || !wanted.leave_out) return simulation;
  const auto choice = scheduling::ChooseForEnergy(candidates, simulation.job.balancing.energy);
  simulation.left_out_ratio = choice->left_out_ratio;
  std::vector<simulator::NodeModel> used;
  for (std::size_t i = 0; i < simulation.nodes.size(); ++i) {
    if (choice->shares[i] > 0) used.push_back(simulation.nodes[i]);
  }
  simulation.nodes = used;
  return simulation;
}

Figures Simulate(const Case& wanted) {
  const SimulationConfig simulation = SimulationOf(wanted);
  const auto outcome = Simulation(simulation).Run();
  EXPECT_EQ(outcome.state, model::JobState::kComplete) << outcome.reason;
  Figures figures;
  for (std::size_t i = 0; i < simulation.nodes.size(); ++i) {
    figures.joules +=
        model::JoulesOf(*simulation.nodes[i].power, outcome.busy_seconds[i], 1, 0).dynamic;
  }
  figures.seconds = ToSeconds(outcome.makespan);
  figures.fastest =
      std::accumulate(simulation.true_costs.begin(), simulation.true_costs.end(), 0.0) /
      SpeedOf(wanted.boards);
  return figures;
}

/// The pure division, for the same work.
Figures Plan(const Case& wanted) {
  const auto simulation = SimulationOf({wanted.boards, model::Objective::kTime, 1, wanted.seed});
  std::vector<scheduling::EnergyCandidate> candidates;
  for (const auto& board : wanted.boards) candidates.push_back({board.speed, board.power});
  model::EnergySpec spec;
  spec.time_factor = wanted.factor;
  const auto answer = scheduling::LeastEnergy(*scheduling::AskForLeastEnergy(candidates, spec));
  const double work =
      std::accumulate(simulation.true_costs.begin(), simulation.true_costs.end(), 0.0);
  Figures planned;
  planned.joules = answer.joules * work;
  planned.seconds = answer.seconds * work;
  planned.fastest = answer.fastest_seconds * work;
  return planned;
}

void ExpectAsPlanned(const std::string& name, const std::vector<Board>& boards) {
  const Figures time = Simulate({boards});
  std::printf("%-5s Time              %8.1f J %7.2f s\n", name.c_str(), time.joules, time.seconds);
  double before = time.joules * 1.001;
  for (const double factor : {1.0, 1.25, 1.5, 2.0}) {
    const Case wanted{boards, model::Objective::kEnergy, factor};
    const Figures run = Simulate(wanted);
    const Figures plan = Plan(wanted);
    std::printf("%-5s Energy, at most %-4g %6.1f J %7.2f s; planned %8.1f J %7.2f s\n",
                name.c_str(), factor, run.joules, run.seconds, plan.joules, plan.seconds);
    EXPECT_LE(run.joules, plan.joules * 1.02) << name << " at " << factor;
    EXPECT_LE(run.seconds, std::max(run.fastest * factor, time.seconds * 1.01));
    EXPECT_LE(run.joules, before * 1.001);
    before = run.joules;
  }
}

TEST(Energy, JoulesFallAsTheTimeAllowedGrows) {
  ExpectAsPlanned("trio", Trio());
  ExpectAsPlanned("ten", TenBoards());
}

TEST(Energy, WorkersThatAreNotNeededStayIdle) {
  // All ten have workers, for example because they were started by hand.
  Case wanted{TenBoards(), model::Objective::kEnergy, 1.5};
  wanted.leave_out = false;
  const Figures run = Simulate(wanted);
  EXPECT_LE(run.joules, Plan(wanted).joules * 1.02);
  EXPECT_LE(run.seconds, run.fastest * 1.5);
}

TEST(Energy, TheLimitIsKeptThoughTheWeightsLie) {
  for (const auto& [name, boards] : {std::pair{"trio", Trio()}, std::pair{"ten", TenBoards()}}) {
    double worst_time = 0;
    double worst_joules = 0;
    double joules = 0;  // mean
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Figures time = Simulate({boards, model::Objective::kTime, 1, seed, 2.0, false});
      Case wanted{boards, model::Objective::kEnergy, 1.5, seed, 2.0, false};
      wanted.leave_out = false;
      const Figures run = Simulate(wanted);
      worst_time = std::max(worst_time, run.seconds / run.fastest);
      worst_joules = std::max(worst_joules, run.joules / time.joules);
      joules += run.joules / time.joules / 20;
    }
    std::printf(
        "%-5s weights wrong by up to 2: at most %.3f x the fastest, %.3f x the joules (mean "
        "%.3f)\n",
        name, worst_time, worst_joules, joules);
    EXPECT_LE(worst_time, 1.5) << name;
    EXPECT_LE(worst_joules, 0.9) << name;
  }
}

TEST(Energy, TheOthersHelpWhenAFrugalNodeSlowsDown) {
  Case wanted{TenBoards(), model::Objective::kEnergy, 1.5};
  wanted.leave_out = false;
  SimulationConfig simulation = SimulationOf(wanted);
  for (std::size_t i = 0; i < 2; ++i) {
    simulation.nodes[i].speed.ChangeAt(Instant{std::chrono::seconds(30)}, 5);
  }
  const auto outcome = Simulation(simulation).Run();
  ASSERT_EQ(outcome.state, model::JobState::kComplete);
  EXPECT_GT(outcome.busy_seconds[9], 10);  // the least frugal of all
  const double fast = SpeedOf(wanted.boards);
  const double fastest = 30 + (120 - 30) * fast / (fast - 2 * (21.1 - 5));
  EXPECT_LE(ToSeconds(outcome.makespan), 1.5 * fastest);
}

TEST(Energy, WhatALostNodeHadGoesToTheFrugalFirst) {
  Case wanted{TenBoards(), model::Objective::kEnergy, 2};
  wanted.leave_out = false;
  SimulationConfig simulation = SimulationOf(wanted);
  simulator::Fault loss;
  loss.node = 2;
  loss.at = std::chrono::seconds(20);
  loss.lasts = simulator::kForEver;
  simulation.faults.push_back(loss);
  const auto outcome = Simulation(simulation).Run();
  ASSERT_EQ(outcome.state, model::JobState::kComplete);
  EXPECT_LT(outcome.busy_seconds[9], 10);  // the least frugal of all
  EXPECT_LE(ToSeconds(outcome.makespan), 2 * 125);
}

}  // namespace
}  // namespace evenkeel
