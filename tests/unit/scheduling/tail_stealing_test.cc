#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/scheduling/strategy.h"
#include "tests/unit/scheduling/leases.h"

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using model::RangeSet;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Two workers; a unit of cost is a nanosecond at rate 1.
class TailStealingTest : public testing::Test {
 protected:
  model::UnitCosts costs{10};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  Reservations reservations;
  model::BalancingSpec balancing;
  bool data_fetched_ahead = false;
  DataHolders holders;
  std::unique_ptr<Strategy> strategy;
  Instant now{seconds(10)};

  void Start(const std::vector<double>& ratios, IndexRange todo = {0, 10}) {
    std::vector<WorkerFacts> facts;
    for (const double ratio : ratios) {
      estimator.AddWorker(ratio, 1);
      leases.workers.emplace_back();
      facts.push_back({ratio});
    }
    const StrategyContext defaults{costs, estimator, leases, reservations, balancing};
    StrategyContext context{costs,
                            estimator,
                            leases,
                            reservations,
                            balancing,
                            defaults.idempotent,
                            defaults.round_trip,
                            defaults.report_interval,
                            defaults.left_out_ratio,
                            defaults.seed,
                            holders};
    context.data_fetched_ahead = data_fetched_ahead;
    strategy = MakeStrategy(context);
    strategy->Start(facts, RangeSet(todo), now);
    TouchAll();
  }
  // Nothing is reserved, worker 1 has 9 tasks, worker 0 has one, and worker 2 is idle.
  void StartWithIdleThief() {
    Start({1, 1, 1}, {0, 0});
    for (std::uint32_t i = 0; i < 3; ++i) {
      estimator.Observe({i}, 10, 10, seconds(10));
      estimator.SetRoundTrip({i}, milliseconds(100));
    }
    leases.workers[0].leased.Insert({9, 10});
    leases.workers[1].leased.Insert({0, 9});
    leases.workers[1].since = leases.workers[0].since = now;
    TouchAll();
  }
  void TouchAll() {
    for (std::uint32_t i = 0; i < leases.workers.size(); ++i)
      strategy->OnWorkerEvent({WorkerChange::kUpdated, {i}}, now);
  }
  // Carries out grants; returns the decisions.
  std::vector<Decision> Decide() {
    std::vector<Decision> all;
    for (;;) {
      const auto decisions = strategy->Decide(now);
      for (const auto& decision : decisions) {
        if (const auto* grant = std::get_if<GrantDecision>(&decision)) {
          EXPECT_TRUE(reservations.Of(grant->worker).Contains(grant->range));
          reservations.Unreserve(grant->range);
          leases.workers[grant->worker.value].leased.Insert(grant->range);
          leases.workers[grant->worker.value].since = now;
          strategy->OnWorkerEvent({WorkerChange::kUpdated, grant->worker}, now);
        }
        all.push_back(decision);
      }
      const bool over = std::all_of(decisions.begin(), decisions.end(), [](const auto& decision) {
        return std::holds_alternative<MoveDecision>(decision);
      });
      if (over) return all;
    }
  }
  template <typename Kind>
  static std::vector<Kind> Of(const std::vector<Decision>& decisions) {
    std::vector<Kind> found;
    for (const auto& decision : decisions) {
      if (const auto* kind = std::get_if<Kind>(&decision)) found.push_back(*kind);
    }
    return found;
  }
};

TEST_F(TailStealingTest, ProbesWithFourTasksAThreadBeforeAnythingIsMeasured) {
  costs = model::UnitCosts(100);
  Start({1, 1}, {0, 100});
  (void)Decide();
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(leases.Leased({i}).Size(), 4);
    EXPECT_EQ(reservations.Of({i}).Size(), 46);
  }
}

TEST_F(TailStealingTest, ProbesWithAtMostHalfOfAShare) {
  Start({1, 1});
  (void)Decide();
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(leases.Leased({i}).Size(), 2);
    EXPECT_EQ(reservations.Of({i}).Size(), 3);
  }
}

// Of few long tasks none waits at a worker, unless its data come meanwhile.
TEST_F(TailStealingTest, TheDataOfTheLastTasksComeWhileOthersRun) {
  for (const bool ahead : {false, true}) {
    data_fetched_ahead = ahead;
    estimator = TimingEstimator{TimingEstimator::Options{}};
    leases.workers.clear();
    reservations = Reservations{};
    Start({1, 1});
    for (std::uint32_t i = 0; i < 2; ++i) {
      estimator.Observe({i}, 10, 10, seconds(10));
      estimator.SetRoundTrip({i}, milliseconds(1));
    }
    TouchAll();
    (void)Decide();
    for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(leases.Leased({i}).Size(), ahead ? 2 : 1);
  }
}

TEST_F(TailStealingTest, TasksGoToTheWorkerThatHasTheirData) {
  costs = model::UnitCosts(100);
  Start({1, 1}, {0, 100});
  const RangeSet shared_out = reservations.Of({0});
  RangeSet held = reservations.Of({1});  // of tasks that are not reserved for worker 0
  held.ForEach([this](IndexRange range) { holders.Add({0}, range); });
  strategy->OnWorkerEvent({WorkerChange::kHoldsData, {0}}, now);
  EXPECT_EQ(reservations.Of({0}), held);
  EXPECT_EQ(reservations.Of({1}), shared_out);
  const auto decisions = Decide();
  EXPECT_TRUE(Of<MoveDecision>(decisions).empty());
  EXPECT_TRUE(held.Contains(leases.Leased({0}).Front()));
}

TEST_F(TailStealingTest, TheFirstMeasurementSaysHowLongAllNeed) {
  costs = model::UnitCosts(16);
  Start(std::vector<double>(8, 1.0), {0, 16});
  (void)Decide();
  // Until now a task was predicted to take a second: all others seem to end much later.
  now += milliseconds(10);
  estimator.SetRoundTrip({0}, milliseconds(20));
  estimator.Observe({0}, 1, 1, milliseconds(10));
  leases.workers[0].leased.Clear();
  leases.workers[0].since = now;
  strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, now);
  EXPECT_TRUE(Of<MoveDecision>(Decide()).empty()) << "all finish together";
}

// The weight of worker 0 is a hundred times that of the others, so all tasks are reserved for it.
TEST_F(TailStealingTest, BeforeAnythingIsMeasuredIdleWorkersStartWhatWaits) {
  Start({100, 1, 1});
  ASSERT_EQ(reservations.Of({0}).Size(), 10);
  (void)Decide();
  EXPECT_EQ(leases.Leased({1}).Size(), 1);
  EXPECT_EQ(leases.Leased({2}).Size(), 1);
  EXPECT_FALSE(leases.Leased({0}).Empty());
}

TEST_F(TailStealingTest, WhereCopiesAreBoundedWhatWaitsStaysWithTheFasterWorker) {
  balancing.tail_stealing.speculation = model::Speculation::kBounded;
  Start({100, 1, 1});
  (void)Decide();
  EXPECT_TRUE(leases.Leased({1}).Empty());
  EXPECT_TRUE(leases.Leased({2}).Empty());
}

TEST_F(TailStealingTest, ATaskForWhichItsOwnWorkerHasAFreeThreadStaysThere) {
  costs = model::UnitCosts(1);
  Start({1, 100}, {0, 1});  // worker 0 is supplied first
  (void)Decide();
  EXPECT_TRUE(leases.Leased({0}).Empty());
  EXPECT_EQ(leases.Leased({1}).Size(), 1);
}

TEST_F(TailStealingTest, TasksThatWaitBehindALongOneAreRecalledOnce) {
  Start({1, 1});
  (void)Decide();
  for (auto& worker : leases.workers) {
    worker.running.push_back({worker.leased.Front().begin, now});
  }
  now += seconds(1);  // 1,000 round trips
  TouchAll();
  auto recalls = Of<RecallDecision>(Decide());
  ASSERT_EQ(recalls.size(), 2U);
  EXPECT_EQ(recalls[0].max_tasks, 1);
  for (std::uint32_t i = 0; i < 2; ++i) {
    strategy->OnWorkerEvent({WorkerChange::kRecallEnded, {i}}, now);
  }
  TouchAll();
  EXPECT_TRUE(Of<RecallDecision>(Decide()).empty()) << "they had nothing to give";
}

// Else they would go back and forth for as long as the first one runs.
TEST_F(TailStealingTest, WhatWasRecalledIsNotLeasedAgainUntilAThreadIsIdle) {
  costs = model::UnitCosts(16);
  Start({1, 1}, {0, 16});
  (void)Decide();
  for (auto& worker : leases.workers) {
    worker.running.push_back({worker.leased.Front().begin, now});
  }
  now += milliseconds(60);  // 60 round trips
  TouchAll();
  ASSERT_EQ(Of<RecallDecision>(Decide()).size(), 2U);
  // The first task ended before the recall came, so the second one runs.
  Leases::Worker& worker = leases.workers[0];
  const std::vector<IndexRange> leased = worker.leased.Ranges();
  worker.leased.Erase({leased.front().begin, leased.front().begin + 1});
  const IndexRange second{worker.leased.Front().begin, worker.leased.Front().begin + 1};
  RangeSet given_back = worker.leased;
  given_back.Erase(second);
  worker.leased = RangeSet(second);
  worker.running.clear();
  now += milliseconds(20);
  worker.since = now;
  estimator.Observe({0}, 1, 1, milliseconds(80));
  given_back.ForEach([&](IndexRange range) {
    strategy->OnTasksAvailable({range, TaskOrigin::kGivenBack, {0}}, now);
  });
  strategy->OnWorkerEvent({WorkerChange::kRecallEnded, {0}}, now);
  (void)Decide();
  EXPECT_EQ(leases.Leased({0}), RangeSet(second));
  worker.leased.Clear();
  strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, now);
  (void)Decide();
  EXPECT_EQ(leases.Leased({0}).Size(), 2) << "one is leased ahead of need again";
}

TEST_F(TailStealingTest, TasksThatAreGivenBackForALostThiefStayWithTheirWorker) {
  StartWithIdleThief();
  ASSERT_EQ(Of<RecallDecision>(Decide()).at(0).thief, WorkerId{2});
  leases.workers[2].connected = false;
  strategy->OnWorkerEvent({WorkerChange::kLost, {2}}, now);
  leases.workers[1].leased.Erase({5, 9});
  strategy->OnTasksAvailable({{5, 9}, TaskOrigin::kGivenBack, {1}}, now);
  EXPECT_EQ(reservations.Of({1}), RangeSet(IndexRange{5, 9}));
}

TEST_F(TailStealingTest, LooksAgainWhenAFirstTaskTurnsOutToBeLong) {
  Start({1, 1});
  (void)Decide();
  for (std::uint32_t i = 0; i < 2; ++i) estimator.SetRoundTrip({i}, milliseconds(10));
  TouchAll();
  EXPECT_TRUE(Decide().empty());
  const Duration look = milliseconds(80) + Duration{1};
  const Instant start = now;
  for (int times : {1, 2, 4}) {
    EXPECT_EQ(strategy->NextDecision(), start + times * look);
    now = start + times * look;
    EXPECT_TRUE(Decide().empty()) << "50 round trips of 10 ms are long";
  }
  now = strategy->NextDecision();
  const auto recalls = Of<RecallDecision>(Decide());
  ASSERT_EQ(recalls.size(), 2U) << "of the task behind the first, from each worker";
  EXPECT_EQ(recalls[0].max_tasks, 1);
}

TEST_F(TailStealingTest, TasksOfUnknownCostAreDealtInTurn) {
  Start({3, 1});
  EXPECT_NE(reservations.Of({0}), RangeSet(IndexRange{0, 8})) << "both ends of the job go to both";
  EXPECT_TRUE(reservations.Of({1}).Front().begin < 5 && reservations.Of({1}).Back().end > 5);
}

TEST_F(TailStealingTest, WithoutCreditAThreadHasOneTask) {
  balancing.tail_stealing.credit = false;
  Start({1, 1});
  (void)Decide();
  const IndexRange first = leases.Leased({0}).Front();
  EXPECT_EQ(first.Size(), 1);
  now += seconds(1);
  estimator.Observe({0}, 1, 1, seconds(1));
  strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, now);
  EXPECT_TRUE(Decide().empty()) << "it is still at its task";
  leases.workers[0].leased.Erase(first);
  strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, now);
  (void)Decide();
  EXPECT_EQ(leases.Leased({0}).Size(), 1);
  EXPECT_NE(leases.Leased({0}).Front(), first);
}

TEST_F(TailStealingTest, AJobWithoutTasksNeedsNoDecision) {
  Start({1, 1}, {0, 0});
  EXPECT_TRUE(Decide().empty());
  EXPECT_EQ(strategy->NextDecision(), kNever);
}

TEST_F(TailStealingTest, WhatALostWorkerHadReservedGoesToTheLiving) {
  Start({1, 1});
  leases.workers[1].connected = false;
  strategy->OnWorkerEvent({WorkerChange::kLost, {1}}, now);
  EXPECT_EQ(reservations.Of({0}).Size(), 10);
  strategy->OnWorkerEvent({WorkerChange::kLost, {0}}, now);
  EXPECT_TRUE(reservations.All().Empty());
  leases.workers[1].connected = true;
  strategy->OnWorkerEvent({WorkerChange::kReturned, {1}}, now);
  EXPECT_EQ(reservations.Of({1}).Size(), 10) << "kept for the first worker that returns";
  (void)Decide();
  EXPECT_GT(leases.Leased({1}).Size(), 0);
}

TEST_F(TailStealingTest, AsksASlowVictimBackForHalfOfWhatWaits) {
  Start({1, 1}, {0, 0});
  estimator.Observe({0}, 10, 10, seconds(10));
  estimator.Observe({1}, 10, 10, seconds(10));
  leases.workers[1].leased.Insert({0, 9});
  leases.workers[1].since = now;
  TouchAll();
  const auto recalls = Of<RecallDecision>(Decide());
  ASSERT_EQ(recalls.size(), 1U);
  EXPECT_EQ(recalls[0].worker, WorkerId{1});
  // 9 s of work for two: half of it, 4.5 s less what the round trip costs.
  EXPECT_NEAR(static_cast<double>(recalls[0].max_tasks), 4.5, 0.6);
}

TEST_F(TailStealingTest, AVictimThatHadNothingToGiveIsNotAskedAgainUntilThatChanges) {
  balancing.tail_stealing.speculation = model::Speculation::kDisabled;
  Start({1, 1}, {0, 0});
  estimator.Observe({0}, 10, 10, seconds(10));
  estimator.Observe({1}, 10, 10, seconds(10));
  leases.workers[1].leased.Insert({0, 9});
  leases.workers[1].since = now;
  TouchAll();
  ASSERT_EQ(Of<RecallDecision>(Decide()).size(), 1U);
  strategy->OnWorkerEvent({WorkerChange::kRecallEnded, {1}}, now);
  now += milliseconds(50);
  EXPECT_TRUE(Decide().empty());
  EXPECT_GT(strategy->NextDecision(), now);
  EXPECT_LE(strategy->NextDecision(), now + seconds(1)) << "worker 0 is idle";
  leases.workers[1].leased.Erase({0, 1});
  strategy->OnWorkerEvent({WorkerChange::kUpdated, {1}}, now);
  EXPECT_EQ(Of<RecallDecision>(Decide()).size(), 1U);
}

TEST_F(TailStealingTest, TasksThatAreGivenBackGoToTheThief) {
  StartWithIdleThief();
  const auto recalls = Of<RecallDecision>(Decide());
  ASSERT_EQ(recalls.size(), 1U);
  ASSERT_EQ(recalls[0].thief, WorkerId{2});
  leases.workers[1].leased.Erase({5, 9});
  strategy->OnTasksAvailable({{5, 9}, TaskOrigin::kGivenBack, {1}}, now);
  EXPECT_EQ(reservations.Of({2}), RangeSet(IndexRange{5, 9}));
}

TEST_F(TailStealingTest, CopiesTheLastTaskIfThatEndsEarlier) {
  Start({10, 1}, {0, 0});
  for (int i = 0; i < 30; ++i) {
    estimator.Observe({0}, 1, 1, milliseconds(100));
    estimator.Observe({1}, 1, 1, seconds(1));
  }
  leases.workers[1].leased.Insert({4, 5});
  leases.workers[1].since = now;
  TouchAll();
  const auto copies = Of<CopyDecision>(Decide());
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].worker, WorkerId{0});
  EXPECT_EQ(copies[0].range, (IndexRange{4, 5}));
}

// 60 s at a task where others take 1 s each: it may well go on for as long, and outlast all.
TEST_F(TailStealingTest, AStragglerIsCopiedThoughThereIsOtherWork) {
  costs = model::UnitCosts(202);
  Start({5, 1}, {2, 202});
  for (int i = 0; i < 30; ++i) {
    estimator.Observe({0}, 1, 1, milliseconds(200));
    estimator.Observe({1}, 1, 1, seconds(1));
  }
  leases.workers[1].leased.Insert({0, 2});
  leases.workers[1].since = now;
  TouchAll();
  EXPECT_TRUE(Of<CopyDecision>(Decide()).empty());
  now += seconds(60);
  leases.workers[0].leased.Clear();
  leases.workers[1].leased = RangeSet({0, 2});
  leases.workers[1].since = now - seconds(60);
  strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, now);
  const auto decisions = Decide();
  const auto recalls = Of<RecallDecision>(decisions);  // what waits behind it
  ASSERT_EQ(recalls.size(), 1U);
  EXPECT_EQ(recalls[0].worker, WorkerId{1});
  EXPECT_EQ(recalls[0].max_tasks, 1);
  const auto copies = Of<CopyDecision>(decisions);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].worker, WorkerId{0});
  EXPECT_EQ(copies[0].range, (IndexRange{0, 1}));
}

TEST_F(TailStealingTest, WithoutStealingEachWorkerRunsItsOwnPartOnly) {
  balancing.tail_stealing.stealing = false;
  balancing.tail_stealing.speculation = model::Speculation::kDisabled;
  Start({1, 1});
  estimator.Observe({0}, 100, 100, seconds(1));
  estimator.Observe({1}, 100, 100, seconds(100));
  TouchAll();
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(Of<MoveDecision>(Decide()).empty());
    for (auto& worker : leases.workers) {
      for (const IndexRange range : worker.leased.Ranges()) worker.leased.Erase(range);
    }
    now += seconds(1);
    TouchAll();
  }
  EXPECT_TRUE(reservations.All().Empty());
}

TEST_F(TailStealingTest, ASlowWorkerTakesNoTaskThatWouldOutlastAllOthersIfCopiesAreBounded) {
  balancing.tail_stealing.speculation = model::Speculation::kBounded;
  Start({10, 1}, {0, 2});
  for (int i = 0; i < 30; ++i) {
    estimator.Observe({0}, 1, 1, milliseconds(100));
    estimator.Observe({1}, 1, 1, seconds(1));
  }
  TouchAll();
  (void)Decide();
  EXPECT_TRUE(leases.Leased({1}).Empty());
  EXPECT_FALSE(leases.Leased({0}).Empty());
}

/// A job of declared costs on one worker, of which nothing is measured.
struct OneWorker {
  explicit OneWorker(const std::vector<model::Cost>& declared) : costs(declared) {
    estimator.AddWorker(1, 1);
    leases.workers.emplace_back();
    strategy = MakeStrategy({costs, estimator, leases, reservations, {}});
  }

  model::PrefixCosts costs;
  TimingEstimator estimator{{.costs = &costs}};
  Leases leases{costs};
  Reservations reservations;
  std::unique_ptr<Strategy> strategy;
};

// A worker with labels that say too much would be at the longest task for the whole job.
TEST(TailStealingWithDeclaredCosts, TheLongestTaskComesBehindAShortOneWhereNoSpeedIsKnown) {
  OneWorker job({900, 5, 6, 100, 100, 100, 100, 100});
  job.strategy->Start({{1.0}}, RangeSet(IndexRange{0, 8}), Instant{});
  std::vector<IndexRange> granted;
  while (granted.size() < 2) {
    job.strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, Instant{});
    for (const Decision& decision : job.strategy->Decide(Instant{})) {
      const auto* grant = std::get_if<GrantDecision>(&decision);
      ASSERT_NE(grant, nullptr);
      granted.push_back(grant->range);
      job.reservations.Unreserve(grant->range);
      job.leases.workers[0].leased.Insert(grant->range);
    }
  }
  EXPECT_EQ(granted, (std::vector<IndexRange>{{1, 2}, {0, 1}}));
}

// The last of ten tasks has by far the largest declared cost, but each takes a second.
TEST(TailStealingWithDeclaredCosts, CostsThatAreNoiseNoLongerSayWhatGoesFirst) {
  OneWorker job({10, 20, 40, 10, 20, 40, 10, 20, 40, 900});
  job.strategy->Start({{1.0}}, RangeSet(IndexRange{6, 10}), Instant{});
  for (const model::Cost cost : {10, 20, 40, 10, 20, 40, 30, 25}) {
    job.estimator.Observe({0}, 1, cost, seconds(1));
  }
  ASSERT_TRUE(job.estimator.EqualCost());
  job.strategy->OnWorkerEvent({WorkerChange::kUpdated, {0}}, Instant{});
  for (const Decision& decision : job.strategy->Decide(Instant{})) {
    const auto* grant = std::get_if<GrantDecision>(&decision);
    if (grant == nullptr) continue;
    EXPECT_EQ(grant->range, (IndexRange{6, 7})) << "not the last task first";
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
