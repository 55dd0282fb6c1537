#include "core/scheduling/strategies/adaptive_iterative.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/scheduling/strategy.h"
#include "tests/unit/scheduling/leases.h"

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using std::chrono::seconds;

/// A round of decisions, in the order in which they are sent: worker and range.
using Sent = std::vector<std::pair<std::uint32_t, IndexRange>>;

class AdaptiveIterativeTest : public testing::Test {
 protected:
  model::UnitCosts costs{300};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  Reservations reservations;
  model::BalancingSpec balancing;
  std::unique_ptr<Strategy> strategy;
  Instant now{seconds(100)};
  Instant round_start{now};
  std::vector<StageDecision> finished;  // rounds
  std::int64_t granted = 0;             // tasks

  void Start(std::size_t workers, std::int64_t tasks = 300, std::int32_t rounds = 10) {
    balancing.strategy = model::StrategyName::kAdaptiveIterative;
    balancing.adaptive_iterative.rounds = rounds;
    for (std::size_t i = 0; i < workers; ++i) Expect();
    strategy = MakeStrategy({costs, estimator, leases, reservations, balancing});
    strategy->Start(std::vector<WorkerFacts>(workers), model::RangeSet(IndexRange{0, tasks}), now);
  }
  void Expect() {
    estimator.AddWorker(1, 1);
    leases.workers.emplace_back();
  }
  Sent Decide() {
    Sent sent;
    for (const auto& decision : strategy->Decide(now)) {
      if (const auto* stage = std::get_if<StageDecision>(&decision)) {
        if (stage->end) finished.push_back(*stage);
        continue;
      }
      const auto& grant = std::get<GrantDecision>(decision);
      leases.workers[grant.worker.value].leased.Insert(grant.range);
      sent.emplace_back(grant.worker.value, grant.range);
      granted += grant.range.Size();
      strategy->OnWorkerEvent({WorkerChange::kUpdated, grant.worker}, now);
    }
    if (!sent.empty()) {
      round_start = now;
      EXPECT_TRUE(strategy->Decide(now).empty()) << "a round is decided at once";
    }
    return sent;
  }
  /// The worker reports all its units this many seconds after the start of the round.
  void Bring(std::uint32_t worker, double t_exe, double t_calc = 0, double waited = 0) {
    now = round_start + FromSeconds(t_exe);
    auto& leased = leases.workers[worker].leased;
    estimator.Observe({worker}, leased.Size(), leased.Size(), FromSeconds(t_calc + waited));
    estimator.NoteWaiting({worker}, FromSeconds(waited), 0);
    leased.Clear();
    strategy->OnWorkerEvent({WorkerChange::kUpdated, {worker}}, now);
  }
};

TEST_F(AdaptiveIterativeTest, RoundsFollowTheFormulas) {
  Start(3);
  EXPECT_EQ(Decide(), (Sent{{0, {0, 10}}, {1, {10, 20}}, {2, {20, 30}}})) << "the first is equal";
  Bring(2, 5);
  Bring(0, 20);
  EXPECT_TRUE(Decide().empty()) << "a barrier";
  Bring(1, 35);
  // Mean 20 s; units take 2, 3.5 and 0.5 s: 10, 5.71 and 40, the largest perf_f first.
  EXPECT_EQ(Decide(), (Sent{{2, {30, 70}}, {0, {70, 80}}, {1, {80, 86}}}));
  Bring(2, 20);
  Bring(0, 20);
  Bring(1, 21);
  // Mean 20.33 s: 40.67, 10.17 and 5.81.
  EXPECT_EQ(Decide(), (Sent{{2, {86, 127}}, {0, {127, 137}}, {1, {137, 143}}}));
  // The third gets other work to do, the second none any more.
  Bring(1, 6);
  Bring(0, 20);
  Bring(2, 82);
  // Mean 36 s; units take 1, 2 and 2 s: 36, 18 and 18; of equal ones the first one first.
  EXPECT_EQ(Decide(), (Sent{{1, {143, 179}}, {0, {179, 197}}, {2, {197, 215}}}));
  ASSERT_EQ(finished.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(finished[n].number, static_cast<int>(n) + 1);
  EXPECT_EQ(finished[1].end, finished[2].start);
  EXPECT_EQ(ToSeconds(*finished[0].end - finished[0].start), 35);
}

TEST_F(AdaptiveIterativeTest, WithoutCommunicationOnlyCalculationCounts) {
  balancing.adaptive_iterative.communication = false;
  Start(2);
  EXPECT_EQ(Decide(), (Sent{{0, {0, 15}}, {1, {15, 30}}}));
  Bring(0, 30, 15);
  Bring(1, 300, 15);
  EXPECT_EQ(Decide(), (Sent{{0, {30, 45}}, {1, {45, 60}}}));
  Bring(0, 30, 10, 7);
  Bring(1, 300, 20, 200);  // waiting for data is part of a task, but no calculation
  EXPECT_EQ(Decide(), (Sent{{0, {60, 83}}, {1, {83, 94}}})) << "15/(10/15) and 15/(20/15)";
}

TEST_F(AdaptiveIterativeTest, DropsAWorkerThatCannotBalanceUntilItIsTheLast) {
  Start(3, 30);
  EXPECT_EQ(Decide(), (Sent{{0, {0, 1}}, {1, {1, 2}}, {2, {2, 3}}}));
  Bring(0, 1);
  Bring(1, 1);
  Bring(2, 10);
  // Mean 4 s, and a unit takes the third 10 s.
  EXPECT_EQ(Decide(), (Sent{{0, {3, 7}}, {1, {7, 11}}}));
  Bring(0, 4);
  strategy->OnWorkerEvent({WorkerChange::kLost, {1}}, now);
  strategy->OnTasksAvailable({{7, 11}, TaskOrigin::kLost, {1}}, now);
  leases.workers[1] = {{}, {}, {}, false};
  EXPECT_EQ(Decide(), (Sent{{0, {7, 11}}})) << "still without the third";
  strategy->OnWorkerEvent({WorkerChange::kLost, {0}}, now);
  strategy->OnTasksAvailable({{7, 11}, TaskOrigin::kLost, {0}}, now);
  leases.workers[0] = {{}, {}, {}, false};
  EXPECT_EQ(Decide(), (Sent{{2, {7, 8}}}));
  EXPECT_EQ(granted, 3 + 8 + 4 + 1) << "what came back counts again";
}

TEST_F(AdaptiveIterativeTest, AJoiningWorkerGetsTheFewestUnitsAndThenItsShare) {
  Start(2, 300, 30);
  (void)Decide();
  Bring(0, 5);
  Expect();
  strategy->OnWorkerEvent({WorkerChange::kJoined, {2}}, now);
  EXPECT_TRUE(Decide().empty()) << "not before the next round";
  Bring(1, 15);
  EXPECT_EQ(Decide(), (Sent{{0, {10, 20}}, {1, {20, 23}}, {2, {23, 26}}}));
  Bring(0, 10);
  Bring(1, 9);
  Bring(2, 2);
  // Mean 7 s; units take 1, 3 and 2/3 s.
  EXPECT_EQ(Decide(), (Sent{{2, {26, 37}}, {0, {37, 44}}, {1, {44, 46}}}));
}

TEST_F(AdaptiveIterativeTest, ALostWorkerIsNotWaitedForAndItsTasksAreKept) {
  Start(3);
  (void)Decide();
  Bring(0, 5);
  Bring(1, 10);
  strategy->OnWorkerEvent({WorkerChange::kLost, {2}}, now);
  strategy->OnTasksAvailable({{20, 30}, TaskOrigin::kLost, {2}}, now);
  leases.workers[2] = {{}, {}, {}, false};
  // Mean of those that are there 7.5 s.
  EXPECT_EQ(Decide(), (Sent{{0, {20, 35}}, {1, {35, 43}}}));
}

TEST_F(AdaptiveIterativeTest, AWorkerThatReturnedUnitsIsNotMeasured) {
  Start(2);
  (void)Decide();
  strategy->OnTasksAvailable({{20, 30}, TaskOrigin::kGivenBack, {1}}, now);
  leases.workers[1].leased.Erase({20, 30});
  Bring(1, 1);
  Bring(0, 10);
  EXPECT_EQ(Decide(), (Sent{{0, {20, 35}}, {1, {35, 50}}})) << "as many as the fewest";
}

TEST_F(AdaptiveIterativeTest, TheFirstRoundWaitsForAllThatMayStillCome) {
  Start(3);
  leases.workers[1].connected = false;
  EXPECT_TRUE(Decide().empty());
  strategy->OnWorkerEvent({WorkerChange::kLost, {1}}, now);
  EXPECT_EQ(Decide(), (Sent{{0, {0, 10}}, {2, {10, 20}}}));
}

TEST_F(AdaptiveIterativeTest, TheLastRoundIsInProportionAndTeachesNothing) {
  Start(2, 30, 3);
  EXPECT_EQ(Decide(), (Sent{{0, {0, 5}}, {1, {5, 10}}}));
  Bring(0, 5);
  Bring(1, 20);
  EXPECT_EQ(Decide(), (Sent{{0, {10, 23}}, {1, {23, 26}}})) << "12.5 and 3.125";
  Bring(0, 12);
  Bring(1, 12);
  EXPECT_EQ(Decide(), (Sent{{0, {26, 30}}})) << "4 of 16 are left";
  strategy->OnTasksAvailable({{29, 30}, TaskOrigin::kLost, {0}}, now);
  Bring(0, 100);
  EXPECT_EQ(Decide(), (Sent{{0, {29, 30}}}));
  Bring(0, 1);
  EXPECT_TRUE(Decide().empty()) << "nothing is left";
}

TEST_F(AdaptiveIterativeTest, FewerTasksThanWorkersGoToTheFirst) {
  Start(3, 2);
  EXPECT_EQ(Decide(), (Sent{{0, {0, 1}}, {1, {1, 2}}}));
  EXPECT_TRUE(reservations.All().Empty()) << "nothing is planned";
}

TEST_F(AdaptiveIterativeTest, ThreadsShareTheCalculation) {
  balancing.adaptive_iterative.communication = false;
  Start(2);
  estimator.SetThreads({1}, 4);
  (void)Decide();
  Bring(0, 10, 10);
  Bring(1, 10, 20);
  // 10 s and 20 / 4 s; mean 7.5 s.
  EXPECT_EQ(Decide(), (Sent{{1, {30, 53}}, {0, {53, 64}}}));
}

// Three processes that were sent 10 units each: t_exe 5, 20 and 35 s, of which they calculated 4,
// 10 and 34 s.
const std::vector<IterationTimes> kFirstRound{{10, 5, 4}, {10, 20, 10}, {10, 35, 34}};

TEST(IterationFormulas, NextUnitsAreTheMeanTimeOverWhatAUnitTakes) {
  // Mean t_exe = 60 / 3 = 20. t_calc_unit + t_comm_unit: 0.4 + 0.1, 1 + 1, 3.4 + 0.1.
  const auto units = NextUnits(kFirstRound, UnitTime::kWithCommunication);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_DOUBLE_EQ(units[0], 40);
  EXPECT_DOUBLE_EQ(units[1], 10);
  EXPECT_DOUBLE_EQ(units[2], 20 / 3.5);
}

TEST(IterationFormulas, TheEarlierMechanismLooksAtCalculationAlone) {
  // Mean t_calc = 48 / 3 = 16; t_calc_unit: 0.4, 1, 3.4.
  const auto units = NextUnits(kFirstRound, UnitTime::kCalculationOnly);
  EXPECT_DOUBLE_EQ(units[0], 40);
  EXPECT_DOUBLE_EQ(units[1], 16);
  EXPECT_DOUBLE_EQ(units[2], 16 / 3.4);
}

TEST(IterationFormulas, EqualTimesPerUnitGetEqualUnits) {
  const auto units = NextUnits({{4, 8, 8}, {12, 24, 1}}, UnitTime::kWithCommunication);
  EXPECT_DOUBLE_EQ(units[0], 8);
  EXPECT_DOUBLE_EQ(units[1], 8);
}

TEST(IterationFormulas, ABalancedIterationIsRepeated) {
  const auto units =
      NextUnits({{40, 20, 3}, {10, 20, 20}, {5, 20, 7}}, UnitTime::kWithCommunication);
  EXPECT_DOUBLE_EQ(units[0], 40);
  EXPECT_DOUBLE_EQ(units[1], 10);
  EXPECT_DOUBLE_EQ(units[2], 5);
}

TEST(IterationFormulas, PerformanceFactorIsUnitsASecond) {
  EXPECT_DOUBLE_EQ(PerformanceFactor(kFirstRound[0], UnitTime::kWithCommunication), 2);
  EXPECT_DOUBLE_EQ(PerformanceFactor(kFirstRound[1], UnitTime::kWithCommunication), 0.5);
  EXPECT_DOUBLE_EQ(PerformanceFactor(kFirstRound[1], UnitTime::kCalculationOnly), 1);
}

TEST(IterationFormulas, NoTimeAtAllGivesFiniteNumbers) {
  const auto units = NextUnits({{1, 0, 0}, {1, 2, 0}}, UnitTime::kWithCommunication);
  EXPECT_GT(units[0], 1e8);
  EXPECT_LT(units[0], 1e10);
  EXPECT_DOUBLE_EQ(NextUnits({{3, 5, 0}, {3, 7, 0}}, UnitTime::kCalculationOnly)[1], 3);
  EXPECT_TRUE(NextUnits({}, UnitTime::kWithCommunication).empty());
}

TEST(IterationFormulas, TheRestIsSharedOutInProportion) {
  using Units = std::vector<std::int64_t>;
  EXPECT_EQ(ScaledTo(28, {40, 10, 6}), (Units{20, 5, 3}));
  EXPECT_EQ(ScaledTo(1, {40, 10, 6}), (Units{1, 0, 0}));
  EXPECT_EQ(ScaledTo(2, {10, 10, 10}), (Units{1, 1, 0}));
  EXPECT_EQ(ScaledTo(30, {10, 10, 10}), (Units{10, 10, 10}));
  for (std::int64_t rest = 0; rest <= 56; ++rest) {
    const Units scaled = ScaledTo(rest, {40, 10, 6});
    EXPECT_EQ(scaled[0] + scaled[1] + scaled[2], rest);
    EXPECT_LE(scaled[0], 40);
    EXPECT_LE(scaled[1], 10);
    EXPECT_LE(scaled[2], 6);
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
