// The invariants of the engine in random simulations with faults. EVENKEEL_SEED=n replays one of
// them with a trace on stderr; EVENKEEL_SEEDS=n runs n others (soak), from EVENKEEL_FIRST_SEED on.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/drawn_simulation.h"

namespace evenkeel {
namespace {

using model::JobState;
using simulator::Outcome;
using simulator::Simulation;
using support::DrawnSimulation;

constexpr std::uint64_t kSeedsACase = 250;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string ReplayCommand(std::uint64_t seed) {
  return "replay with EVENKEEL_SEED=" + std::to_string(seed) +
         " invariants_test --gtest_filter=InvariantsReplay.OneSeed";
}

// A violated invariant aborts the process: the output has the command that replays it.
std::uint64_t g_seed = 0;

void PrintSeed(int) {
  std::fprintf(stderr, "%s\n", ReplayCommand(g_seed).c_str());
  std::signal(SIGABRT, SIG_DFL);
}

void ExpectDurableOnce(const DrawnSimulation& simulation, const Outcome& outcome) {
  std::int64_t missing = 0;
  // Tasks appended after the end of the job do not belong to it.
  const auto tasks = static_cast<std::size_t>(outcome.progress.tasks_total);
  for (std::size_t i = 0; i < outcome.times_durable.size(); ++i) {
    if (i >= tasks) {
      EXPECT_EQ(outcome.times_run[i], 0) << "task " << i;
      continue;
    }
    EXPECT_LE(outcome.times_durable[i], 1) << "task " << i;
    if (outcome.times_durable[i] == 0) ++missing;
  }
  if (outcome.state != JobState::kComplete || outcome.reason == model::kSuccessPolicyMet) return;
  EXPECT_EQ(missing, outcome.progress.tasks_failed) << "tasks neither durable nor failed for good";
  for (const auto& [task, times] : simulation.config.failing) {
    if (simulation.doomed.contains(task)) continue;
    EXPECT_EQ(outcome.times_durable[static_cast<std::size_t>(task)], 1) << "task " << task;
  }
}

void CheckSimulation(std::uint64_t seed, bool traced) {
  g_seed = seed;
  std::signal(SIGABRT, PrintSeed);
  DrawnSimulation simulation = support::DrawSimulation(seed);
  SCOPED_TRACE(simulation.summary + "; " + ReplayCommand(seed));
  if (traced) {
    std::fprintf(stderr, "%s\n", simulation.summary.c_str());
    simulation.config.trace = [](const std::string& line) {
      std::fprintf(stderr, "%s\n", line.c_str());
    };
  }
  const Outcome outcome = Simulation(simulation.config).Run();

  const JobState wanted = simulation.must_fail ? JobState::kFailed : JobState::kComplete;
  const bool early = simulation.may_end_early && outcome.reason == model::kSuccessPolicyMet;
  EXPECT_EQ(outcome.state, early ? JobState::kComplete : wanted)
      << outcome.reason << " after " << ToSeconds(outcome.makespan) << " s";
  ExpectDurableOnce(simulation, outcome);
  const auto& found = outcome.violations;
  EXPECT_EQ(found.leased_though_durable, 0);
  EXPECT_EQ(found.progress_losses, 0);
  EXPECT_EQ(found.sent_after_end, 0);
  EXPECT_EQ(found.retried_in_place, 0);
  EXPECT_EQ(found.lost_though_heard, 0);
  if (!simulation.config.job.task_policy.idempotent) {
    EXPECT_EQ(found.side_by_side, 0);
  }
  if (simulation.everybody_knows) {
    EXPECT_EQ(outcome.run_after_acknowledged, 0);
  }
  if (outcome.state != JobState::kRunning) {
    EXPECT_LE(static_cast<double>(outcome.messages_sent),
              support::MessageBound(simulation.config, outcome.makespan))
        << "in " << ToSeconds(outcome.makespan) << " s";
  }
}

class Invariants : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Invariants, HoldInDrawnSimulations) {
  if (std::getenv("EVENKEEL_SEED") != nullptr) GTEST_SKIP() << "one seed is replayed";
  const std::uint64_t first = 1 + GetParam() * kSeedsACase;
  for (std::uint64_t seed = first; seed < first + kSeedsACase && !HasFailure(); ++seed) {
    CheckSimulation(seed, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Invariants, testing::Range<std::uint64_t>(0, 40));

// A task that fails always, on slow nodes beside idle ones: each failure had a copy beside it.
TEST(InvariantsReplay, AFailingTaskIsNotCopiedForEver) { CheckSimulation(1'021'511, false); }

// The coordinator stood still for so short a time that it could have slept: a Hello that arrived
// meanwhile is read before the lease of its worker ends.
TEST(InvariantsReplay, AShortStallLosesNobody) { CheckSimulation(1'006'077, false); }

// The Hello of an older process came late and took the tasks of its successor, which ran them.
TEST(InvariantsReplay, ALateProcessTakesNoTasks) { CheckSimulation(1'009'289, false); }

// A coordinator that stood still read the Hellos of three processes of one node at once.
TEST(InvariantsReplay, AProcessThatRanNothingChargesNothing) { CheckSimulation(1'033'332, false); }

// Tasks that cost nothing were appended beside equal large ones.
TEST(InvariantsReplay, AppendedTasksThatCostNothingHaveAPart) { CheckSimulation(1'063'832, false); }

TEST(InvariantsReplay, OneSeed) { CheckSimulation(FromEnvironment("EVENKEEL_SEED", 1), true); }

TEST(InvariantsSoak, ManySeeds) {
  const std::uint64_t seeds = FromEnvironment("EVENKEEL_SEEDS", 100'000);
  const std::uint64_t first = FromEnvironment("EVENKEEL_FIRST_SEED", 1'000'000);
  for (std::uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    CheckSimulation(seed, false);
  }
}

TEST(Determinism, TheSameSeedGivesTheSameDeliveries) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto config = support::DrawSimulation(seed).config;
    const Outcome one = Simulation(config).Run();
    const Outcome two = Simulation(config).Run();
    ASSERT_EQ(one.digest, two.digest) << "seed " << seed;
    ASSERT_EQ(one.deliveries, two.deliveries) << "seed " << seed;
    ASSERT_EQ(one.makespan, two.makespan) << "seed " << seed;
    ASSERT_EQ(one.times_run, two.times_run) << "seed " << seed;
  }
}

TEST(Determinism, AnotherSeedGivesOthers) {
  const Outcome one = Simulation(support::DrawSimulation(1).config).Run();
  const Outcome two = Simulation(support::DrawSimulation(2).config).Run();
  EXPECT_NE(one.digest, two.digest);
}

}  // namespace
}  // namespace evenkeel
