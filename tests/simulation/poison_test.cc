// Tasks that kill what runs them, the worker's process or the whole node, and tasks that run out of
// memory. EVENKEEL_SEED=n replays
// one simulation with a trace on stderr; EVENKEEL_SEEDS=n runs n others (soak), from
// EVENKEEL_FIRST_SEED on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "simulator/simulated_strategy.h"
#include "simulator/simulation.h"
#include "tests/support/drawn_simulation.h"

namespace evenkeel {
namespace {

using simulator::DeadlyTask;
using simulator::Fault;
using simulator::Outcome;
using simulator::Simulation;
using simulator::SimulationConfig;
using std::chrono::seconds;

constexpr std::uint64_t kSeedsACase = 15;
constexpr double kSlowest = 0.1;  // speed of a node
constexpr int kMostThreads = 4;   // of a node

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string ReplayCommand(std::uint64_t seed) {
  return "replay with EVENKEEL_SEED=" + std::to_string(seed) +
         " poison_test --gtest_filter='PoisonReplay.OneSeed*'";
}

std::uint64_t g_seed = 0;

void PrintSeed(int) {
  std::fprintf(stderr, "%s\n", ReplayCommand(g_seed).c_str());
  std::signal(SIGABRT, SIG_DFL);
}

struct Poisoned {
  SimulationConfig config;
  std::string summary;  ///< one line for people
};

// ---- Drawing ----

/// 2 to 12 nodes with 50 to 400 tasks, which together need 5 to 60 s.
SimulationConfig DrawHealthy(Rng& rng, std::string& summary) {
  SimulationConfig simulation;
  model::JobSpec& job = simulation.job;
  job.name = job.workload = "poison";
  const simulator::SimulatedStrategy strategy = support::DrawStrategy(rng, simulation);
  if (rng.Chance(0.3)) job.balancing.tail_stealing.speculation = model::Speculation::kDisabled;
  job.balancing.lease = rng.Chance(0.5) ? seconds(1) : seconds(10);
  job.task_policy.idempotent = rng.Chance(0.6);
  job.task_policy.timeout = std::chrono::hours(1000);
  job.task_policy.backoff_limit_per_task = static_cast<std::int32_t>(rng.Between(0, 3));
  simulation.costs_known = rng.Chance(0.5);

  const std::int64_t nodes = rng.Between(2, 12);
  double together = 0;
  for (std::int64_t i = 0; i < nodes; ++i) {
    simulator::NodeModel node;
    node.name = "node-" + std::to_string(i);
    const double speed = rng.Uniform(kSlowest, 1);
    node.threads = static_cast<std::uint32_t>(rng.Chance(0.5) ? 1 : rng.Between(2, kMostThreads));
    node.ratio = rng.Chance(0.7) ? speed * node.threads : rng.Uniform(0.1, 4);
    node.speed = simulator::SpeedProfile(speed);
    together += speed * node.threads;
    simulation.nodes.push_back(node);
  }
  simulation.true_costs.resize(static_cast<std::size_t>(rng.Between(50, 400)));
  job.task_policy.max_failed_tasks = static_cast<std::int64_t>(simulation.true_costs.size());
  const bool heavy_tailed = rng.Chance(0.3);
  for (double& cost : simulation.true_costs) {
    cost = heavy_tailed ? std::min(std::pow(1 - rng.Unit(), -1.25), 100.0) : rng.Uniform(0.5, 1.5);
  }
  const double total =
      std::accumulate(simulation.true_costs.begin(), simulation.true_costs.end(), 0.0);
  const double scale = rng.Uniform(5, 60) * together / total;
  for (double& cost : simulation.true_costs) cost *= scale;
  if (rng.Chance(0.4)) {
    simulation.ranges.emplace();
    simulation.startup_seconds = rng.Uniform(0, 1);
    summary += " ranges";
  }
  simulation.check_invariants = true;
  simulation.linger = seconds(1);
  summary += " " + std::to_string(simulation.true_costs.size()) + " tasks on " +
             std::to_string(nodes) + " nodes, " + ToString(strategy);
  if (!job.task_policy.idempotent) summary += " not-idempotent";
  return simulation;
}

/// Up to 5 % of the tasks, at least one.
void DrawDeadly(Rng& rng, Poisoned& drawn) {
  SimulationConfig& simulation = drawn.config;
  const std::size_t tasks = simulation.true_costs.size();
  const std::int64_t count = rng.Between(1, static_cast<std::int64_t>(tasks) / 20);
  const double nodes_killed = rng.Chance(0.3) ? 0 : rng.Chance(0.4) ? 1 : rng.Unit();
  const bool at_their_ends = rng.Chance(0.5);
  const double longest_restart = rng.Chance(0.5) ? 1 : 30;
  const bool adjacent = rng.Chance(0.2);
  const std::uint64_t first = rng.Below(tasks - static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    DeadlyTask deadly;
    if (rng.Chance(nodes_killed)) deadly.kills = DeadlyTask::Kills::kNode;
    deadly.after = at_their_ends ? 1 : rng.Unit();
    deadly.restart_after = FromSeconds(rng.Uniform(0.1, longest_restart));
    const std::uint64_t task = adjacent ? first + static_cast<std::uint64_t>(i) : rng.Below(tasks);
    simulation.deadly.emplace(static_cast<model::TaskIndex>(task), deadly);
  }
  drawn.summary += ", deadly " + std::to_string(simulation.deadly.size());
}

/// A fault that hits a task while it runs alone charges the task: it is allowed one more attempt.
void DrawFaults(Rng& rng, Poisoned& drawn) {
  SimulationConfig& simulation = drawn.config;
  if (rng.Chance(0.5)) return;
  constexpr Fault::Kind kKinds[] = {Fault::Kind::kKillWorker,  Fault::Kind::kLosePower,
                                    Fault::Kind::kCutLink,     Fault::Kind::kDrainWorker,
                                    Fault::Kind::kStallWorker, Fault::Kind::kKillCoordinator};
  const std::int64_t count = rng.Between(1, 6);
  for (std::int64_t i = 0; i < count; ++i) {
    Fault fault;
    fault.kind = kKinds[rng.Below(std::size(kKinds))];
    fault.node = static_cast<std::size_t>(rng.Below(simulation.nodes.size()));
    fault.at = FromSeconds(rng.Uniform(0, 60));
    fault.lasts = FromSeconds(rng.Uniform(0, 5));
    fault.noticed_after = rng.Chance(0.5) ? Duration::zero() : fault.lasts;
    simulation.faults.push_back(fault);
  }
  simulation.job.task_policy.backoff_limit_per_task += static_cast<std::int32_t>(count);
  drawn.summary += ", faults " + std::to_string(count);
}

/// Nodes lose their power for reasons of their own; no task is deadly.
void DrawPowerLosses(Rng& rng, Poisoned& drawn) {
  SimulationConfig& simulation = drawn.config;
  const auto lose = [&](std::size_t node, double at, double lasts) {
    Fault fault{Fault::Kind::kLosePower, node, FromSeconds(at), FromSeconds(lasts), {}};
    fault.noticed_after = fault.lasts;
    simulation.faults.push_back(fault);
  };
  constexpr double kUntil = 1000;
  const std::size_t nodes = simulation.nodes.size();
  switch (rng.Below(3)) {
    case 0: {  // each node by itself, at a mean interval of several tasks
      const double longest =
          *std::max_element(simulation.true_costs.begin(), simulation.true_costs.end());
      const double interval = std::max(20.0, 5 * longest / kSlowest);
      for (std::size_t node = 0; node < nodes; ++node) {
        double at = 0;
        while ((at -= interval * std::log(1 - rng.Unit())) < kUntil) {
          lose(node, at, rng.Uniform(1, 10));
        }
      }
      simulation.job.task_policy.backoff_limit_per_task = 3;
      drawn.summary += ", losses";
      return;
    }
    case 1: {  // all of a rack at once
      const std::int64_t times = rng.Between(1, 2);
      for (std::int64_t i = 0; i < times; ++i) {
        const double at = rng.Uniform(0, 60);
        for (std::size_t node = 0; node < nodes; ++node) lose(node, at, rng.Uniform(1, 30));
      }
      drawn.summary += ", rack";
      return;
    }
    default: {  // one node has a bad power supply
      const auto node = static_cast<std::size_t>(rng.Below(nodes));
      const double uptime = rng.Uniform(0.5, 5);
      for (double at = 0; at < kUntil; at += uptime) {
        const double lasts = rng.Uniform(0.1, 2);
        lose(node, at, lasts);
        at += lasts;
      }
      drawn.summary += ", power supply";
    }
  }
}

/// Up to 5 % of the tasks, at least one, need more than a thread's part of the memory. Some fit
/// into all memory of a node, or of the one that has most of it, or into none.
void DrawHungry(Rng& rng, Poisoned& drawn) {
  SimulationConfig& simulation = drawn.config;
  std::int64_t most = 0;
  for (simulator::NodeModel& node : simulation.nodes) {
    node.task_memory_bytes = rng.Between(1, 8) << 30;
    most = std::max(most, node.task_memory_bytes);
  }
  const std::size_t tasks = simulation.true_costs.size();
  const std::int64_t count = rng.Between(1, static_cast<std::int64_t>(tasks) / 20);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t needed = rng.Chance(0.3) ? most + 1 : rng.Between(most / 8, most);
    simulation.memory_bytes.emplace(static_cast<model::TaskIndex>(rng.Below(tasks)), needed);
  }
  drawn.summary += ", hungry " + std::to_string(simulation.memory_bytes.size());
}

/// As DrawHungry, but lack of memory ends the whole container.
void DrawKilledContainers(Rng& rng, Poisoned& drawn) {
  DrawHungry(rng, drawn);
  simulator::ContainerKills& kills = drawn.config.container_kills.emplace();
  kills.restart_after = FromSeconds(rng.Uniform(0.5, 10));
  if (rng.Chance(0.9)) kills.longest_report_delay = FromSeconds(rng.Uniform(0, 5));
  drawn.summary += kills.longest_report_delay ? ", containers" : ", containers without reports";
}

enum class Trouble { kDeadlyTasks, kHungryTasks, kKilledContainers, kPowerLosses };

Poisoned Draw(std::uint64_t seed, Trouble trouble) {
  Rng rng(seed);
  Poisoned drawn;
  drawn.config = DrawHealthy(rng, drawn.summary);
  drawn.config.seed = seed;
  switch (trouble) {
    case Trouble::kDeadlyTasks:
      DrawDeadly(rng, drawn);
      DrawFaults(rng, drawn);
      break;
    case Trouble::kHungryTasks:
      DrawHungry(rng, drawn);
      if (rng.Chance(0.5)) DrawFaults(rng, drawn);
      break;
    case Trouble::kKilledContainers:
      DrawKilledContainers(rng, drawn);
      if (rng.Chance(0.5)) DrawFaults(rng, drawn);
      break;
    case Trouble::kPowerLosses:
      DrawPowerLosses(rng, drawn);
      break;
  }
  return drawn;
}

// ---- Checking ----

/// Deaths by one deadly task, as docs/running.md states.
double MaxDeathsOfOne(const SimulationConfig& simulation) {
  constexpr double kUntilSuspect = 4;
  constexpr double kNotCharged = 1;
  const auto tasks = static_cast<double>(simulation.true_costs.size());
  const auto others = static_cast<double>(simulation.nodes.size() - 1);
  return kUntilSuspect + std::ceil(std::log2(tasks)) + kNotCharged +
         simulation.job.task_policy.backoff_limit_per_task + 1 + 2 * others;
}

struct Run {
  Outcome outcome;
  std::map<model::TaskIndex, std::int32_t> charged;  ///< failed attempts of each task
  std::int64_t not_out_of_memory = 0;  ///< failed attempts with another reason than OutOfMemory
  [[nodiscard]] std::int64_t Deaths() const {
    std::int64_t deaths = 0;
    for (const auto& [task, times] : outcome.deaths) deaths += times;
    return deaths;
  }
};

double g_most_deaths = 0;  // of all simulations, in parts of the bound

// Sums over the simulations in which each node loses power independently of the others.
double g_tasks_of_losses = 0;
double g_charged_for_losses = 0;

Run RunDrawn(Poisoned& drawn, bool traced) {
  if (traced) {
    std::fprintf(stderr, "%s\n", drawn.summary.c_str());
    drawn.config.trace = [](const std::string& line) {
      std::fprintf(stderr, "%s\n", line.c_str());
    };
  }
  Run run;
  drawn.config.recorder.on_failure = [&run](const model::FailureRecord& failure) {
    ++run.charged[failure.index];
    if (!failure.reason.starts_with("OutOfMemory: ")) ++run.not_out_of_memory;
  };
  run.outcome = Simulation(drawn.config).Run();
  return run;
}

void ExpectSound(const SimulationConfig& simulation, const Outcome& outcome) {
  EXPECT_EQ(outcome.state, model::JobState::kComplete) << outcome.reason;
  EXPECT_EQ(outcome.violations.leased_though_durable, 0);
  EXPECT_EQ(outcome.violations.progress_losses, 0);
  EXPECT_EQ(outcome.violations.lost_though_heard, 0);
  if (!simulation.job.task_policy.idempotent) {
    EXPECT_EQ(outcome.violations.side_by_side, 0);
  }
}

void ExpectHealthyDone(const SimulationConfig& simulation, const Outcome& outcome) {
  ExpectSound(simulation, outcome);
  EXPECT_EQ(outcome.progress.tasks_failed, static_cast<std::int64_t>(simulation.deadly.size()));
  for (std::size_t i = 0; i < outcome.times_durable.size(); ++i) {
    const bool deadly = simulation.deadly.contains(static_cast<model::TaskIndex>(i));
    EXPECT_EQ(outcome.times_durable[i], deadly ? 0 : 1) << "task " << i;
  }
  EXPECT_EQ(outcome.violations.retried_in_place, 0);
}

void CheckPoisoned(const Poisoned& drawn, Run run) {
  const SimulationConfig& simulation = drawn.config;
  ExpectHealthyDone(simulation, run.outcome);
  for (const auto& [task, deadly] : simulation.deadly) {
    EXPECT_LE(run.charged[task], simulation.job.task_policy.backoff_limit_per_task + 1) << task;
  }
  // A coordinator that starts anew knows only the failed attempts.
  const double most = MaxDeathsOfOne(simulation) * static_cast<double>(simulation.deadly.size()) *
                      static_cast<double>(run.outcome.coordinator_starts);
  const auto deaths = static_cast<double>(run.Deaths());
  g_most_deaths = std::max(g_most_deaths, deaths / most);
  EXPECT_LE(deaths, most);
  if (simulation.ranges || !simulation.faults.empty()) return;  // runs may take any time
  const double longest =
      *std::max_element(simulation.true_costs.begin(), simulation.true_costs.end());
  EXPECT_LE(run.outcome.lost_seconds, deaths * kMostThreads * (longest / kSlowest + 0.1));
}

void CheckPowerLosses(const Poisoned& drawn, const Run& run) {
  ExpectHealthyDone(drawn.config, run.outcome);
  const bool each_by_itself = drawn.summary.ends_with("losses");
  const auto tasks = static_cast<double>(drawn.config.true_costs.size());
  const auto charged = static_cast<double>(run.charged.size());
  if (!each_by_itself) {
    EXPECT_EQ(charged, 0) << "tasks with a failed attempt";
    return;
  }
  EXPECT_LE(charged, 0.02 * tasks) << "tasks with a failed attempt";
  g_tasks_of_losses += tasks;
  g_charged_for_losses += charged;
}

/// Tasks that fit into the memory of some node complete, unless faults keep that node away or
/// the operator does not report why their containers ended.
void CheckHungry(const Poisoned& drawn, const Run& run) {
  const SimulationConfig& simulation = drawn.config;
  ExpectSound(simulation, run.outcome);
  const auto& kills = simulation.container_kills;
  const bool known = !kills || kills->longest_report_delay;  // the reason why a container ended
  std::int64_t most = 0;
  for (const auto& node : simulation.nodes) most = std::max(most, node.task_memory_bytes);
  for (std::size_t i = 0; i < run.outcome.times_durable.size(); ++i) {
    const auto hungry = simulation.memory_bytes.find(static_cast<model::TaskIndex>(i));
    const bool fits = hungry == simulation.memory_bytes.end() || hungry->second <= most;
    const bool is_sure =
        hungry == simulation.memory_bytes.end() || (simulation.faults.empty() && known);
    if (fits && is_sure) {
      EXPECT_EQ(run.outcome.times_durable[i], 1) << "task " << i;
    } else {
      EXPECT_LE(run.outcome.times_durable[i], fits ? 1 : 0) << "task " << i;
    }
  }
  if (!simulation.faults.empty()) return;
  const std::int32_t most_attempts =
      known ? 3 : simulation.job.task_policy.backoff_limit_per_task + 1;
  for (const auto& [task, times] : run.charged) {
    EXPECT_TRUE(simulation.memory_bytes.contains(task)) << task << " is charged for another";
    EXPECT_LE(times, most_attempts) << task;
  }
  if (known) {
    EXPECT_EQ(run.not_out_of_memory, 0);
  }
}

/// Draws a simulation, runs it and checks what has come of it.
void CheckSeed(Trouble trouble, std::uint64_t seed, bool traced) {
  g_seed = seed;
  std::signal(SIGABRT, PrintSeed);
  Poisoned drawn = Draw(seed, trouble);
  SCOPED_TRACE(drawn.summary + "; " + ReplayCommand(seed));
  Run run = RunDrawn(drawn, traced);
  switch (trouble) {
    case Trouble::kDeadlyTasks:
      return CheckPoisoned(drawn, std::move(run));
    case Trouble::kHungryTasks:
    case Trouble::kKilledContainers:
      return CheckHungry(drawn, run);
    case Trouble::kPowerLosses:
      return CheckPowerLosses(drawn, run);
  }
}

class Poison : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Poison, DeadlyTasksFailForGoodAndAllOthersComplete) {
  const std::uint64_t first = 1 + GetParam() * kSeedsACase;
  for (std::uint64_t seed = first; seed < first + kSeedsACase && !HasFailure(); ++seed) {
    CheckSeed(Trouble::kDeadlyTasks, seed, false);
  }
}

TEST_P(Poison, TasksWithoutMemoryRunAloneAndWhereThereIsMost) {
  const std::uint64_t first = 1 + GetParam() * kSeedsACase;
  for (std::uint64_t seed = first; seed < first + kSeedsACase && !HasFailure(); ++seed) {
    CheckSeed(Trouble::kHungryTasks, seed, false);
  }
}

TEST_P(Poison, TasksWhoseContainersAreKilledRunAloneAndWhereThereIsMost) {
  const std::uint64_t first = 1 + GetParam() * kSeedsACase;
  for (std::uint64_t seed = first; seed < first + kSeedsACase && !HasFailure(); ++seed) {
    CheckSeed(Trouble::kKilledContainers, seed, false);
  }
}

TEST_P(Poison, NodesThatLosePowerCondemnNoTask) {
  const std::uint64_t first = 1 + GetParam() * kSeedsACase;
  for (std::uint64_t seed = first; seed < first + kSeedsACase && !HasFailure(); ++seed) {
    CheckSeed(Trouble::kPowerLosses, seed, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Poison, testing::Range<std::uint64_t>(0, 20));

TEST(PoisonReplay, OneSeed) {
  CheckSeed(Trouble::kDeadlyTasks, FromEnvironment("EVENKEEL_SEED", 1), true);
}

TEST(PoisonReplay, OneSeedOfHungryTasks) {
  CheckSeed(Trouble::kHungryTasks, FromEnvironment("EVENKEEL_SEED", 1), true);
}

TEST(PoisonReplay, OneSeedOfKilledContainers) {
  CheckSeed(Trouble::kKilledContainers, FromEnvironment("EVENKEEL_SEED", 1), true);
}

TEST(PoisonReplay, OneSeedOfPowerLosses) {
  CheckSeed(Trouble::kPowerLosses, FromEnvironment("EVENKEEL_SEED", 1), true);
}

TEST(PoisonSoak, ManySeeds) {
  const std::uint64_t seeds = FromEnvironment("EVENKEEL_SEEDS", 10'000);
  const std::uint64_t first = FromEnvironment("EVENKEEL_FIRST_SEED", 1'000'000);
  for (std::uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    CheckSeed(Trouble::kDeadlyTasks, seed, false);
    CheckSeed(Trouble::kHungryTasks, seed, false);
    CheckSeed(Trouble::kKilledContainers, seed, false);
    CheckSeed(Trouble::kPowerLosses, seed, false);
  }
  std::printf("deaths: at most %.2f x the bound\n", g_most_deaths);
  std::printf("losses of power: %.4f of the tasks are charged\n",
              g_charged_for_losses / g_tasks_of_losses);
  EXPECT_LE(g_charged_for_losses, 0.005 * g_tasks_of_losses);
}

}  // namespace
}  // namespace evenkeel
