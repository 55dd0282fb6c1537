// The parts of TailStealing, each by itself: finish predictor, credit window, tail allocator,
// straggler detector, lease recall.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/scheduling/tail_stealing/credit_window.h"
#include "core/scheduling/tail_stealing/finish_predictor.h"
#include "core/scheduling/tail_stealing/straggler_detector.h"
#include "core/scheduling/tail_stealing/tail_allocator.h"
#include "tests/unit/scheduling/leases.h"

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using model::RangeSet;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// After this time a search for copies that found nothing is made anew, where the rest of the job
/// takes up to 3 s.
constexpr Duration kFoundNothingStands = milliseconds(50);

/// Workers whose speeds are measured; tasks cost 1 by default.
class TailParts : public testing::Test {
 protected:
  /// `speeds`: units per second of each worker.
  void Start(const std::vector<double>& speeds, std::int64_t tasks = 1000, bool measured = true) {
    costs = model::UnitCosts(tasks);
    for (std::uint32_t i = 0; i < speeds.size(); ++i) {
      estimator.AddWorker(speeds[i], 1);
      for (int n = 0; measured && n < 30; ++n) {
        estimator.Observe({i}, 1, 1, FromSeconds(1 / speeds[i]));
      }
      leases.workers.emplace_back();
    }
    pool.AddWorkers(speeds.size());
    medium.AddWorkers(speeds.size());
    predictor.AddWorkers(speeds.size());
    stragglers.AddWorkers(speeds.size());
    recall.AddWorkers(speeds.size());
    Refresh();
  }
  void Reserve(WorkerId worker, IndexRange range) {
    pool.Insert(worker, {{range, 0}});
    predictor.UpdateReservation(worker, now);
  }
  void Lease(WorkerId worker, IndexRange range, Instant since) {
    leases.workers[worker.value].leased.Insert(range);
    leases.workers[worker.value].since = since;
    predictor.Update(worker, now);
  }
  /// The worker has run a copy of the task since then.
  void Copy(WorkerId worker, model::TaskIndex task, Instant since) {
    leases.copy_holders[task].push_back(worker);
    leases.workers[worker.value].copies.Insert({task, task + 1});
    leases.workers[worker.value].since = since;
  }
  void Refresh() {
    for (std::uint32_t i = 0; i < pool.Workers(); ++i) predictor.Update({i}, now);
  }
  [[nodiscard]] double SecondsUntil(Instant at) const { return ToSeconds(at - now); }

  model::UnitCosts costs{1000};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  Reservations reservations;
  StrategyContext context{costs, estimator, leases, reservations, {}};
  ReservedPool pool{context};
  MediumShares medium{context, pool};
  FinishPredictor predictor{context, pool, medium};
  CreditWindow window{context, pool, predictor};
  std::unique_ptr<BalancingGoal> goal = MakeGoal(context);
  TailAllocator allocator{context, pool, predictor, *goal};
  StragglerDetector stragglers{context, pool, predictor, *goal};
  LeaseRecall recall{context, predictor, *goal};
  Instant now{seconds(100)};
};

/// The parts of TailStealing that share out tasks, for other costs than those of TailParts. All
/// workers are declared to be equal.
struct Sharing {
  Sharing(const model::CostModel& costs, std::uint32_t workers,
          const TimingEstimator::Options& options = {})
      : estimator(options), leases(costs), context{costs, estimator, leases, reservations, {}} {
    pool.AddWorkers(workers);
    medium.AddWorkers(workers);
    predictor.AddWorkers(workers);
    for (std::uint32_t i = 0; i < workers; ++i) {
      estimator.AddWorker(1, 1);
      leases.workers.emplace_back();
    }
  }
  void Insert(WorkerId worker, IndexRange range, Instant now) {
    pool.Insert(worker, {{range, 0}});
    predictor.UpdateReservation(worker, now);
  }
  void Refresh(Instant now) {
    for (std::uint32_t i = 0; i < pool.Workers(); ++i) predictor.Update({i}, now);
  }

  TimingEstimator estimator;
  Leases leases;
  Reservations reservations;
  StrategyContext context;
  ReservedPool pool{context};
  MediumShares medium{context, pool};
  FinishPredictor predictor{context, pool, medium};
  std::unique_ptr<BalancingGoal> goal = MakeGoal(context);
  TailAllocator allocator{context, pool, predictor, *goal};
};

TEST_F(TailParts, AWorkerIsReadyWhenItsLeasesAreDoneAndFinishesWithItsReservation) {
  Start({2, 1});
  Lease({0}, {0, 4}, now - seconds(1));
  Reserve({0}, {4, 14});
  EXPECT_NEAR(SecondsUntil(predictor.Ready({0}, now)), 1, 0.01);
  EXPECT_NEAR(SecondsUntil(predictor.Finish({0}, now)), 6, 0.01);
  EXPECT_EQ(predictor.Ready({1}, now), now) << "it has nothing";
  EXPECT_EQ(predictor.ByFinish().Latest().second, WorkerId{0});
  EXPECT_EQ(predictor.ByReady().Earliest().second, WorkerId{0});
}

TEST_F(TailParts, AnOverdueWorkerIsExpectedLaterTheLaterItIs) {
  Start({1});
  Lease({0}, {0, 1}, now - seconds(11));
  EXPECT_NEAR(SecondsUntil(predictor.Ready({0}, now)), 5, 0.5) << "half of 10 s";
  now += seconds(10);
  EXPECT_NEAR(SecondsUntil(predictor.Ready({0}, now)), 10, 1);
}

TEST_F(TailParts, ADisconnectedWorkerCountsHalfAndIsNoPartOfTheSum) {
  Start({2, 1});
  EXPECT_NEAR(predictor.RateSum(), 3, 0.01);
  leases.workers[0].connected = false;
  Refresh();
  EXPECT_NEAR(predictor.Rate({0}), 1, 0.01);
  EXPECT_NEAR(predictor.RateSum(), 1, 0.01);
  EXPECT_FALSE(predictor.Usable({0}));
}

TEST_F(TailParts, ThePoolIsTheSumOfAllReservations) {
  Start({2, 1});
  Reserve({0}, {0, 20});
  Reserve({1}, {20, 30});
  EXPECT_EQ(predictor.PoolTasks(), 30);
  EXPECT_NEAR(ToSeconds(predictor.PoolTime()), 10, 0.1);
  (void)pool.TakeAll({0});
  predictor.UpdateReservation({0}, now);
  EXPECT_EQ(predictor.PoolTasks(), 10);
  EXPECT_EQ(predictor.ByFinish().Latest().second, WorkerId{1});
}

TEST_F(TailParts, TheLevelIsTheEarliestEndOfAllReservedTasks) {
  Start({1, 1});
  Reserve({0}, {0, 4});
  EXPECT_NEAR(SecondsUntil(predictor.Level(now)), 2, 0.01);
}

TEST_F(TailParts, TasksAreSentOneByOneUntilTransfersAreKnownToBeShort) {
  Start({1}, 1000, /*measured=*/false);
  EXPECT_TRUE(window.SendsOneByOne({0})) << "nothing is known";
  estimator.Observe({0}, 10, 10, seconds(10));
  EXPECT_FALSE(window.SendsOneByOne({0}));
  estimator.NoteDelivery({0}, seconds(3), 1);
  EXPECT_TRUE(window.SendsOneByOne({0})) << "a transfer takes longer than a message";
  EXPECT_NEAR(ToSeconds(window.Length({0})), 2 * (0.001 + 1), 1e-6);
}

TEST_F(TailParts, WhatTakesLessThanAMillisecondIsNotSentOneByOne) {
  Start({100, 100});
  estimator.SetRoundTrip({0}, std::chrono::microseconds(200));
  estimator.NoteDelivery({0}, std::chrono::microseconds(1100), 1);
  EXPECT_FALSE(window.SendsOneByOne({0}));
  estimator.NoteDelivery({1}, milliseconds(3), 1);
  EXPECT_TRUE(window.SendsOneByOne({1}));
}

// Sent together, the tasks would arrive all at once and be done in a moment: the worker would wait
// for the next ones while nothing is on the way to it.
TEST_F(TailParts, TasksAreSentOneByOneToAWorkerThatWaitsForTheirData) {
  Start({100, 5});
  for (std::uint32_t i = 0; i < 2; ++i) {
    estimator.SetRoundTrip({i}, milliseconds(60));
    estimator.NoteDelivery({i}, milliseconds(90), 1);
  }
  EXPECT_TRUE(window.SendsOneByOne({0})) << "30 ms for the data of a task of 10 ms";
  EXPECT_FALSE(window.SendsOneByOne({1})) << "30 ms for the data of a task of 200 ms";
}

// With two tasks on the way, a link with a round trip of 60 ms was idle for half of the time.
TEST_F(TailParts, SoManyTasksAreOnTheirWayThatTheLinkIsAlwaysBusy) {
  Start({100});
  estimator.SetRoundTrip({0}, milliseconds(60));
  estimator.NoteDelivery({0}, milliseconds(80), 1);
  Reserve({0}, {10, 1000});
  ASSERT_TRUE(window.SendsOneByOne({0})) << "20 ms for the data of a task of 10 ms";
  Lease({0}, {0, 3}, now);
  EXPECT_TRUE(window.NeedsRefill({0}, now)) << "the link has nothing to do after 60 ms";
  Lease({0}, {3, 4}, now);
  EXPECT_FALSE(window.NeedsRefill({0}, now));
}

// A message with 100 tasks whose data take 18 ms each stopped a worker for two seconds.
TEST_F(TailParts, WindowsGrowStepByStepWhileTheFirstDelayMayBeATransfer) {
  Start({100, 100}, 1000, /*measured=*/false);
  Reserve({0}, {0, 500});
  Reserve({1}, {500, 1000});
  estimator.NoteDelivery({0}, milliseconds(16), 1);
  for (std::uint32_t i = 0; i < 2; ++i) estimator.Observe({i}, 3, 3, milliseconds(30));
  EXPECT_EQ(window.Budget({0}, now), 6) << "two tasks for each that it has completed";
  EXPECT_GT(window.Budget({1}, now), 30) << "its first tasks were not late";
  estimator.Observe({0}, 7, 7, milliseconds(70));
  EXPECT_EQ(window.Budget({0}, now), 20);
  estimator.NoteDelivery({0}, milliseconds(1), 1);
  EXPECT_NEAR(static_cast<double>(window.Budget({0}, now)),
              static_cast<double>(window.Budget({1}, now)), 3);
}

TEST_F(TailParts, AWorkerIsNoFasterThanItsDataCome) {
  Start({100, 1});
  Reserve({0}, {0, 10});
  EXPECT_NEAR(predictor.Rate({0}), 100, 1);
  estimator.NoteDelivery({0}, milliseconds(501), 1);
  EXPECT_NEAR(predictor.Rate({0}), 2, 0.01) << "half a second each";
  EXPECT_NEAR(predictor.Rate({1}), 1, 0.01);
  EXPECT_GT(predictor.CycleTime({0}), Duration(milliseconds(500)));
}

TEST_F(TailParts, TasksWithoutCostAreNoReasonForAnInfiniteTime) {
  Start({1});
  const model::PrefixCosts nothing(std::vector<model::Cost>(10, 0));
  const StrategyContext free{nothing, estimator, leases, reservations, {}};
  ReservedPool free_pool{free};
  FinishPredictor free_predictor{free, free_pool, medium};
  free_pool.AddWorkers(1);
  free_predictor.AddWorkers(1);
  free_pool.Insert({0}, {{{0, 10}, 0}});
  free_predictor.UpdateReservation({0}, now);
  estimator.NoteDelivery({0}, milliseconds(501), 1);  // the data of a task take half a second
  EXPECT_NEAR(SecondsUntil(free_predictor.Finish({0}, now)), 5, 0.01);
}

TEST_F(TailParts, TheWindowShrinksTowardsTheEnd) {
  Start({100});
  Reserve({0}, {0, 1000});
  EXPECT_NEAR(ToSeconds(window.Length({0})), 2.5, 0.02) << "a quarter of 10 s";
  (void)pool.TakeNext({0}, 600, 600, 600);
  predictor.UpdateReservation({0}, now);
  EXPECT_NEAR(ToSeconds(window.Length({0})), 1, 0.02) << "a quarter of 4 s";
}

TEST_F(TailParts, TheWindowIsThreeReportIntervalsAndForLongTasksAPartOfTheWorkThatIsLeft) {
  Start({100, 1}, 10000);
  Reserve({0}, {0, 4040});
  EXPECT_EQ(window.Length({0}), Duration(seconds(3)));
  EXPECT_NEAR(ToSeconds(window.Length({1})), 1.25, 1e-6) << "a 32nd of 40 s";
  Reserve({1}, {4040, 9999});
  EXPECT_EQ(window.Length({1}), Duration(seconds(3)));
}

TEST_F(TailParts, TheWindowOfLongTasksIsAtLeastSixRoundTrips) {
  Start({100, 1}, 10000);
  Reserve({0}, {0, 10});
  EXPECT_NEAR(ToSeconds(window.Length({1})), 0.006, 1e-9);
}

TEST_F(TailParts, TheWindowOfAWorkerIsAtLeastThreeOfItsRoundTrips) {
  Start({1, 1});
  estimator.SetRoundTrip({0}, milliseconds(100));
  estimator.SetRoundTrip({1}, seconds(2));
  Reserve({0}, {0, 2});
  Reserve({1}, {2, 4});
  EXPECT_NEAR(ToSeconds(window.Length({0})), 0.5, 0.02) << "a quarter of 2 s";
  EXPECT_EQ(window.Length({1}), Duration(seconds(6)));
  Lease({0}, {10, 12}, now);
  Lease({1}, {20, 22}, now);
  EXPECT_FALSE(window.NeedsRefill({0}, now)) << "2 s of 0.5";
  EXPECT_TRUE(window.NeedsRefill({1}, now)) << "2 s of 6";
  EXPECT_GT(window.Budget({1}, now), 0);
  Reserve({1}, {100, 1000});
  EXPECT_EQ(window.Length({1}), Duration(seconds(12))) << "at most 6 round trips";
}

TEST_F(TailParts, AMoveToAWorkerHasToSaveItsRoundTrip) {
  Start({1, 1});
  Reserve({0}, {0, 10});
  Reserve({1}, {10, 30});
  estimator.SetRoundTrip({0}, seconds(11));
  EXPECT_FALSE(allocator.StealRange({0}, now, false)) << "5 units are less than half of 11";
  estimator.SetRoundTrip({0}, seconds(9));
  estimator.SetRoundTrip({1}, seconds(60));  // the victim needs no message
  EXPECT_TRUE(allocator.StealRange({0}, now, false));
}

TEST_F(TailParts, TasksThatAreShortBesideTheRoundTripAreNotSentOneByOne) {
  Start({1, 1});
  Reserve({0}, {0, 2});
  EXPECT_TRUE(allocator.LastTasks({0}));
  estimator.SetRoundTrip({0}, milliseconds(51));
  EXPECT_FALSE(allocator.LastTasks({0})) << "a task is shorter than 20 round trips";
  EXPECT_TRUE(allocator.LastTasks({1}));
}

TEST_F(TailParts, ACopyHasToSaveTheRoundTripOfItsWorker) {
  Start({10, 1});
  Lease({1}, {4, 5}, now);
  context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  estimator.SetRoundTrip({0}, milliseconds(950));
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "0.1 s of work and 0.95 s on the way";
  estimator.SetRoundTrip({0}, milliseconds(500));
  now += kFoundNothingStands;
  EXPECT_TRUE(stragglers.SpeculateOnTail({0}, now));
}

TEST_F(TailParts, ACopyOfAStragglerHasToSaveTheRoundTripAsWell) {
  Start({5, 1});
  Reserve({0}, {2, 12});
  Lease({1}, {0, 1}, now - seconds(60));
  ASSERT_TRUE(stragglers.Mark({1}, now));
  estimator.SetRoundTrip({0}, seconds(30));
  EXPECT_FALSE(stragglers.SpeculateAhead({0}, now));
  estimator.SetRoundTrip({0}, milliseconds(1));
  now += kFoundNothingStands;
  EXPECT_TRUE(stragglers.SpeculateAhead({0}, now));
}

TEST_F(TailParts, ARecallCountsTheLongerRoundTripOfThiefAndVictim) {
  Start({1, 1});
  Lease({1}, {0, 9}, now);
  estimator.SetRoundTrip({1}, seconds(6));
  const auto asked = recall.RecallFor({0}, now);
  ASSERT_TRUE(asked);
  EXPECT_NEAR(static_cast<double>(asked->max_tasks), 1.5, 0.6)
      << "half of the tasks that remain after 6 s";
}

TEST_F(TailParts, ARefillFillsTheWindowWhenHalfOfItIsUsed) {
  Start({10});
  estimator.SetRoundTrip({0}, milliseconds(10));
  Reserve({0}, {30, 1000});
  Lease({0}, {0, 20}, now);
  EXPECT_FALSE(window.NeedsRefill({0}, now)) << "2 s of 3 are left";
  now += seconds(1);
  EXPECT_TRUE(window.NeedsRefill({0}, now));
  EXPECT_NEAR(static_cast<double>(window.Budget({0}, now)), 20, 1.1);
}

TEST_F(TailParts, BeforeAMeasurementAWorkerGetsAProbeOnly) {
  Start({1, 1}, 1'000'000, false);
  EXPECT_EQ(window.Budget({0}, now), 500) << "a thousandth of its share";
  Lease({0}, {0, 2}, now);
  EXPECT_FALSE(window.NeedsRefill({0}, now + seconds(10)));
}

TEST_F(TailParts, WithoutCreditAThreadHasOneTask) {
  context.balancing.tail_stealing.credit = false;
  Start({1});
  Reserve({0}, {0, 1000});
  EXPECT_EQ(window.LeastTasks({0}, now), 1);
  EXPECT_EQ(window.Length({0}), Duration::zero());
}

TEST_F(TailParts, AThiefTakesSoMuchThatBothFinishTogether) {
  Start({1, 1});
  Reserve({1}, {0, 100});
  ASSERT_TRUE(allocator.StealRange({0}, now, false));
  predictor.UpdateReservation({0}, now);
  predictor.UpdateReservation({1}, now);
  EXPECT_NEAR(static_cast<double>(pool.Of({0}).Tasks()), 50, 1);
  EXPECT_EQ(pool.Of({0}).Tasks() + pool.Of({1}).Tasks(), 100);
  std::vector<Decision> moves;
  pool.TakeMoves(moves);
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(std::get<MoveDecision>(moves[0]).from, WorkerId{1});
  EXPECT_EQ(std::get<MoveDecision>(moves[0]).to, WorkerId{0});
}

TEST_F(TailParts, LessThanHalfATaskIsNotWorthAMove) {
  Start({1, 1});
  Reserve({0}, {0, 2});
  Lease({1}, {5, 6}, now - milliseconds(400));
  EXPECT_FALSE(allocator.StealRange({1}, now + milliseconds(1500), false));
}

TEST_F(TailParts, APredictionOfBeforeTheFirstMeasurementMovesTasksAsWell) {
  const model::PrefixCosts large(std::vector<model::Cost>(10, 1'000'000'000));
  Sharing of_large(large, 2);
  of_large.Insert({1}, {0, 10}, now);  // 30 years, as far as ratios tell
  for (std::uint32_t i = 0; i < 2; ++i) {
    of_large.estimator.Observe({i}, 1, 40'000'000'000, seconds(1));
  }
  EXPECT_TRUE(of_large.allocator.StealRange({0}, now, false)) << "more than 63 bits of cost";
  EXPECT_GT(of_large.pool.Of({0}).Tasks(), 0);
}

TEST_F(TailParts, ASlowWorkersReservationLastsAsItsFirstTaskShows) {
  Start({1, 1}, 1000, false);
  estimator.Observe({0}, 10, 10, seconds(1));  // so worker 1 is expected to be as fast
  Reserve({1}, {1, 11});
  Lease({1}, {0, 1}, now);
  EXPECT_NEAR(SecondsUntil(predictor.Finish({1}, now)), 1.1, 0.1);
  now += seconds(10);
  EXPECT_GT(SecondsUntil(predictor.Finish({1}, now)), 20) << "it has been at one task for 10 s";
}

TEST_F(TailParts, NothingIsStolenWithoutStealingOrWithoutGain) {
  Start({1, 1});
  Reserve({0}, {0, 50});
  Reserve({1}, {50, 100});
  EXPECT_FALSE(allocator.StealRange({0}, now, false)) << "both finish together already";
  (void)pool.TakeAll({0});
  predictor.UpdateReservation({0}, now);
  context.balancing.tail_stealing.stealing = false;
  EXPECT_FALSE(allocator.StealRange({0}, now, false));
}

// Costs are nanoseconds, and the time by which the task could end is whole nanoseconds.
TEST_F(TailParts, TheFastestIdleWorkerTakesALastTaskOfDeclaredCost) {
  for (const std::uint32_t workers : {3U, 40U}) {  // with more than 32 the finish level is kept
    const model::PrefixCosts declared({391'337'123});
    Sharing last(declared, workers);
    last.context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
    last.pool.SetHeavyCost(0);
    for (std::uint32_t i = 0; i < workers; ++i) {
      last.estimator.Observe({i}, 1, 1'000'000'007, milliseconds(i == 0 ? 111 : 222));
    }
    last.Refresh(now);
    last.Insert({1}, {0, 1}, now);
    EXPECT_TRUE(last.allocator.TakeLastTasks({1}, 1, false, now).empty()) << "it is slower";
    const Instant later = now + std::chrono::microseconds(500);
    EXPECT_EQ(last.allocator.TakeLastTasks({0}, 1, false, later).size(), 1U) << workers;
  }
}

// It may have stopped: otherwise it would always seem to be ready soon.
TEST_F(TailParts, ALastTaskDoesNotWaitLongForAFasterWorkerThatIsLate) {
  const model::PrefixCosts declared({1'000'000'000, 9'000'000'000});
  Sharing last(declared, 2);
  last.context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  last.pool.SetHeavyCost(0);
  for (int n = 0; n < 30; ++n) {
    last.estimator.Observe({0}, 1, 1'000'000'000, milliseconds(500));
    last.estimator.Observe({1}, 1, 1'000'000'000, milliseconds(1000));
  }
  last.leases.workers[0].leased.Insert({0, 1});
  last.Insert({0}, {1, 2}, now);
  const auto take = [&](Duration working) {
    last.leases.workers[0].since = now - working;
    last.Refresh(now);
    return last.allocator.TakeLastTasks({1}, 1, false, now).size();
  };
  EXPECT_EQ(take(milliseconds(400)), 0U) << "the faster one ends its task in 0.1 s";
  EXPECT_EQ(take(milliseconds(9000)), 1U) << "it should have ended 8.5 s ago";
}

// Tasks of 30 ms to 1 s rise with the index; the last ten are left.
TEST_F(TailParts, WhereTimesRiseWithTheIndexTheFastWorkerTakesTheLongestAndASlowOneTheShortest) {
  const model::UnitCosts unknown(100);
  TimingEstimator::Options options;
  options.costs = &unknown;
  Sharing last(unknown, 2, options);
  for (model::TaskIndex index = 0; index < 90; ++index) {
    const auto worker = static_cast<std::uint32_t>(index % 2);
    const Duration busy = (worker == 0 ? 1 : 2) * milliseconds(30 + 10 * index);
    last.estimator.ObserveRange({worker}, {index, index + 1}, busy);
    last.estimator.Observe({worker}, 1, 1, busy, static_cast<double>(index) + 0.5);
  }
  last.pool.SetFromBack(true);
  last.Insert({0}, {0, 1}, now);
  last.Insert({0}, {99, 100}, now);
  last.Refresh(now);
  const auto of_slow = last.allocator.TakeLastTasks({1}, 1, false, now);
  ASSERT_EQ(of_slow.size(), 1U);
  EXPECT_EQ(of_slow[0].range, (IndexRange{0, 1})) << "the longest would take it twice as long";
  const auto of_fast = last.allocator.TakeLastTasks({0}, 1, false, now);
  ASSERT_EQ(of_fast.size(), 1U);
  EXPECT_EQ(of_fast[0].range, (IndexRange{99, 100}));
}

TEST(TailProbes, AWorkerOfUnknownSpeedBeginsWithAShortTask) {
  const model::PrefixCosts costs({1000, 5, 900, 6, 7});
  Sharing job(costs, 2);
  const Instant now{seconds(100)};
  job.pool.SetHeavyCost(0);
  job.Insert({0}, {0, 1}, now);
  job.Insert({1}, {1, 5}, now);
  EXPECT_EQ(job.allocator.TakeProbe({1}, now)->range, (IndexRange{1, 2})) << "its own shortest one";
  EXPECT_EQ(job.allocator.TakeProbe({0}, now)->range, (IndexRange{3, 4}))
      << "that of another one, as its own task is long";
  EXPECT_TRUE(job.reservations.Of({0}).Contains({3, 4}));
  job.estimator.Observe({0}, 1, 6, seconds(6));
  EXPECT_FALSE(job.allocator.TakeProbe({0}, now)) << "its speed is known";
}

TEST(TailProbes, WhereAllTasksAreLongThereIsNoProbe) {
  const model::PrefixCosts costs({10, 20, 30});
  Sharing job(costs, 1);
  const Instant now{seconds(100)};
  job.pool.SetHeavyCost(0);
  job.Insert({0}, {0, 3}, now);
  EXPECT_FALSE(job.allocator.TakeProbe({0}, now));
}

// Each worker begins with its own largest tasks. Where one has too much, its large tasks would
// start after the small ones of the others.
TEST(TailShares, ALargerTaskOfTheWorkerThatIsLatestGoesBeforeOwnSmallerOnes) {
  const model::PrefixCosts costs({50, 40, 30, 20, 3, 2, 1});
  Sharing job(costs, 2);
  const Instant now{seconds(100)};
  job.pool.SetHeavyCost(0);
  job.Insert({0}, {4, 7}, now);
  job.Insert({1}, {0, 4}, now);
  EXPECT_FALSE(job.allocator.LargerTaskWaitsElsewhere({0})) << "its speed is not known";
  for (std::uint32_t i = 0; i < 2; ++i) job.estimator.Observe({i}, 1, 10, seconds(10));
  job.Refresh(now);
  EXPECT_TRUE(job.allocator.LargerTaskWaitsElsewhere({0}));
  EXPECT_FALSE(job.allocator.LargerTaskWaitsElsewhere({1}));
  EXPECT_TRUE(job.allocator.StealRange({0}, now, /*ahead=*/false));
  EXPECT_EQ(job.pool.Of({0}).LargestHeavy(50), 40) << "so the other one keeps the largest";
  EXPECT_EQ(job.pool.Of({1}).LargestHeavy(50), 50);
}

// The shortest task has run for the largest part of its time, so idle threads copied it first. That
// ended no job earlier.
TEST(TailShares, WhereCostsAreDeclaredTheLongestTaskIsInsuredFirst) {
  const model::PrefixCosts costs({3, 9, 6});
  Sharing job(costs, 4);
  StragglerDetector stragglers{job.context, job.pool, job.predictor, *job.goal};
  stragglers.AddWorkers(4);
  const Instant now{seconds(100)};
  for (std::uint32_t i = 0; i < 3; ++i) {
    job.leases.workers[i].leased.Insert({i, i + 1});
    job.leases.workers[i].since = now - seconds(1);
  }
  job.Refresh(now);
  const auto copy = stragglers.SpeculateOnTail({3}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->range, (IndexRange{1, 2}));

  const Instant later = now + seconds(4);
  job.leases.workers[1].since = later;
  job.leases.workers[2].since = later;
  job.Refresh(later);
  stragglers.BeginRound();
  const auto of_late = stragglers.SpeculateOnTail({3}, later);
  ASSERT_TRUE(of_late);
  EXPECT_EQ(of_late->range, (IndexRange{0, 1})) << "5 s instead of 3";
}

TEST_F(TailParts, TheLastTasksGoToWorkersThatEndThemInTime) {
  context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  Start({10, 1});
  Reserve({1}, {0, 2});
  ASSERT_TRUE(allocator.LastTasks({0}));
  EXPECT_TRUE(allocator.TakeLastTasks({1}, 1, false, now).empty()) << "it would outlast the other";
  const auto taken = allocator.TakeLastTasks({0}, 1, false, now);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(pool.Of({1}).Tasks(), 1) << "stolen";
  EXPECT_EQ(allocator.TakeLastTasks({1}, 1, true, now).size(), 1U) << "however long it takes";
}

TEST_F(TailParts, ALastTaskWaitsBehindAnotherOnlyIfItEndsInTime) {
  Start({1, 1});
  Lease({0}, {0, 1}, now - milliseconds(900));
  Lease({1}, {1, 2}, now);
  Reserve({1}, {2, 4});
  ASSERT_TRUE(allocator.LastTasks({0}));
  const auto first = allocator.TakeLastTaskAhead({0}, now);
  ASSERT_TRUE(first) << "it ends after 1.1 s, and another one would end there after 2 s";
  Lease({0}, first->range, now - milliseconds(900));
  EXPECT_FALSE(allocator.TakeLastTaskAhead({0}, now)) << "after 2.1 s";
  EXPECT_TRUE(allocator.TakeLastTaskAhead({1}, now)) << "after 2 s";
}

TEST_F(TailParts, WhereDataComeAheadATaskWaitsBehindEachThatRuns) {
  Start({1, 1});
  Lease({0}, {0, 1}, now);
  Lease({1}, {1, 2}, now);
  EXPECT_EQ(window.LeastTasks({0}, now), 1) << "no other task is left";
  context.data_fetched_ahead = true;
  EXPECT_EQ(window.LeastTasks({0}, now), 2);
  Lease({0}, {2, 3}, now);
  EXPECT_FALSE(window.WaitInVain({0}, now + seconds(10)));
  context.data_fetched_ahead = false;
  EXPECT_TRUE(window.WaitInVain({0}, now + seconds(10)));
}

// The faster worker would end the task no earlier than it will end a copy of it.
TEST_F(TailParts, WhereEveryTaskMayBeCopiedASlowWorkerDoesNotWaitForAFasterOne) {
  Start({10, 1});
  Reserve({0}, {0, 1});
  context.idempotent = false;
  EXPECT_TRUE(allocator.TakeLastTasks({1}, 1, false, now).empty()) << "there will be no copy";
  context.idempotent = true;
  EXPECT_EQ(allocator.TakeLastTasks({1}, 1, false, now).size(), 1U);
}

TEST_F(TailParts, LastTasksOfUnknownCostGoInTheOrderOfTheirIndexes) {
  Start({1, 1});
  Reserve({0}, {3, 4});
  Reserve({1}, {1, 2});
  const auto taken = allocator.TakeLastTasks({0}, 1, false, now);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].range, (IndexRange{1, 2})) << "though it is reserved for the other worker";
}

// Its first task of unknown cost lasted for 0.1 s: it seemed to be ten times as fast as the other.
TEST_F(TailParts, ATaskDoesNotWaitForAWorkerWhoseSecondTaskIsSlower) {
  context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  Start({1, 1}, 1000, false);
  estimator.Observe({0}, 1, 1, milliseconds(100));
  estimator.Observe({1}, 1, 1, seconds(1));
  Reserve({0}, {2, 5});
  Lease({0}, {0, 1}, now);
  Refresh();
  EXPECT_TRUE(allocator.TakeLastTasks({1}, 1, false, now).empty());
  now += seconds(1);
  Refresh();
  EXPECT_EQ(allocator.TakeLastTasks({1}, 1, false, now).size(), 1U);
}

TEST_F(TailParts, ATaskThatWaitsBehindAnotherThatIsLateIsLateAsWell) {
  Start({1, 1});
  Lease({0}, {0, 2}, now - seconds(5));
  EXPECT_NEAR(SecondsUntil(predictor.Ready({0}, now)), 3, 0.5)
      << "the first goes on for half of 4 s, and the second takes more than 1 s";
}

TEST_F(TailParts, ManyTasksAreNotTheLast) {
  Start({1, 1});
  Reserve({0}, {0, 100});
  EXPECT_FALSE(allocator.LastTasks({0}));
}

TEST_F(TailParts, ATaskThatRunsForTwoMeanTasksIsAStraggler) {
  Start({1, 1});
  Lease({1}, {0, 1}, now - milliseconds(1900));
  EXPECT_FALSE(stragglers.Mark({1}, now));
  now += milliseconds(200);
  EXPECT_TRUE(stragglers.Mark({1}, now));
  EXPECT_FALSE(stragglers.Mark({1}, now)) << "it is marked already";
  EXPECT_TRUE(stragglers.RunsStraggler({1}, now));
  leases.workers[1].since = now;
  EXPECT_FALSE(stragglers.RunsStraggler({1}, now)) << "the next task has begun";
}

TEST_F(TailParts, AStragglerIsCopiedOnceToAFastWorker) {
  Start({5, 1});
  Reserve({0}, {2, 202});
  Lease({1}, {0, 1}, now - seconds(60));
  ASSERT_TRUE(stragglers.Mark({1}, now));
  EXPECT_FALSE(stragglers.SpeculateAhead({1}, now)) << "its own, and it is slow";
  const auto copy = stragglers.SpeculateAhead({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->copy.range, (IndexRange{0, 1}));
  EXPECT_FALSE(stragglers.SpeculateAhead({0}, now)) << "one copy in a round";
}

TEST_F(TailParts, TheLongestOfSeveralStragglersIsCopied) {
  Start({5, 1, 1, 1});
  Reserve({0}, {3, 203});
  Lease({1}, {0, 1}, now - seconds(40));
  Lease({2}, {1, 2}, now - seconds(60));
  Lease({3}, {2, 3}, now - seconds(50));
  for (std::uint32_t i = 1; i <= 3; ++i) ASSERT_TRUE(stragglers.Mark({i}, now));
  const auto copy = stragglers.SpeculateAhead({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->copy.range, (IndexRange{1, 2}));
}

TEST_F(TailParts, ATaskOnTooSlowAWorkerIsCopiedThoughThereIsOtherWork) {
  Start({10, 1, 0.1});
  Reserve({0}, {2, 42});  // 4 s of work for all together
  Lease({1}, {0, 1}, now);
  EXPECT_FALSE(stragglers.SpeculateAhead({0}, now)) << "it ends after 1 s";
  Lease({2}, {1, 2}, now);
  EXPECT_FALSE(stragglers.SpeculateAhead({1}, now)) << "it is slow itself";
  const auto copy = stragglers.SpeculateAhead({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->copy.worker, WorkerId{0});
  EXPECT_EQ(copy->copy.range, (IndexRange{1, 2}));
  EXPECT_EQ(copy->victim, WorkerId{2});
}

// Times vary by 60 %: it may well end before a copy would, but if it goes on, a copy that starts
// after all other work comes late.
TEST_F(TailParts, ATaskThatMayOutlastAllOthersIsCopiedWhenLittleOtherWorkIsLeft) {
  std::vector<double> speeds(13, 1.0);
  speeds[0] = 2;
  Start(speeds, 1000, /*measured=*/false);
  for (int n = 0; n < 30; ++n) {
    const double deviation = n % 2 == 0 ? 0.6 : -0.6;
    for (std::uint32_t i = 0; i < speeds.size(); ++i) {
      estimator.Observe({i}, 1, 1, FromSeconds((1 + deviation) / speeds[i]));
    }
  }
  Refresh();
  Lease({1}, {0, 1}, now - milliseconds(100));
  Reserve({0}, {2, 15});
  EXPECT_FALSE(stragglers.SpeculateAhead({0}, now)) << "1 s of work for all together";
  (void)pool.TakeAll({0});
  Reserve({0}, {2, 5});
  now += kFoundNothingStands;
  const auto copy = stragglers.SpeculateAhead({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->copy.range, (IndexRange{0, 1}));
}

// Each copy alone would pay, but the job ends earlier only if all late tasks are copied.
TEST_F(TailParts, LateTasksAreCopiedAheadOfTheEndIfCopiesOfAllPay) {
  Start({3, 3, 1, 1, 1, 1});
  for (std::uint32_t i = 2; i < 6; ++i) Lease({i}, {i, i + 1}, now);
  Reserve({0}, {6, 10});
  EXPECT_FALSE(stragglers.SpeculateAhead({0}, now));
  for (std::uint32_t i = 3; i < 6; ++i) leases.workers[i].leased = {};
  Refresh();
  now += kFoundNothingStands;
  EXPECT_TRUE(stragglers.SpeculateAhead({0}, now)) << "one is late";
}

TEST_F(TailParts, ATaskThatAlmostEndsWithTheOthersIsNotCopiedAheadOfTheEnd) {
  Start({10, 1, 0.27});
  Reserve({0}, {2, 42});  // 3.6 s of work for all together
  Lease({2}, {1, 2}, now);
  const auto running = predictor.RunningAt({2}, now).front();
  ASSERT_GT(running.residual.mean, ToSeconds(predictor.PoolTime()) + 0.1) << "it outlasts a copy";
  ASSERT_LT(running.deviation, 0.5);
  EXPECT_FALSE(stragglers.SpeculateAhead({0}, now)) << "but by less than its uncertainty";
}

TEST_F(TailParts, IdleWorkersCopyAllTasksOfAWorkerWithoutAConnectionInParts) {
  Start({1, 1, 1});
  Lease({1}, {0, 9}, now);
  leases.workers[1].connected = false;
  predictor.Update({1}, now);
  RangeSet copied;
  for (std::uint32_t idle = 0; copied.Size() < 9; idle = 2 - idle) {
    leases.copied = copied;
    stragglers.BeginRound();
    const auto copy = stragglers.SpeculateOnTail({idle}, now);
    ASSERT_TRUE(copy);
    EXPECT_FALSE(copied.Overlaps(copy->range)) << "it has a copy already";
    copied.Insert(copy->range);
  }
  EXPECT_EQ(copied, RangeSet(IndexRange{0, 9}));
}

TEST_F(TailParts, AFirstTaskIsLookedAtAfterTimesThatDoubleIfTasksWaitBehindIt) {
  Start({1, 1}, 1000, false);
  Lease({0}, {0, 4}, now);
  EXPECT_FALSE(window.NextLookAtFirstTask({0}, now)) << "the round trip is not known";
  estimator.SetRoundTrip({0}, milliseconds(10));
  const Duration look = milliseconds(80) + Duration{1};
  EXPECT_EQ(window.NextLookAtFirstTask({0}, now), now + look);
  EXPECT_EQ(window.NextLookAtFirstTask({0}, now + look), now + 2 * look);
  EXPECT_EQ(window.NextLookAtFirstTask({0}, now + 3 * look), now + 4 * look);
  EXPECT_FALSE(window.WaitInVain({0}, now + milliseconds(500)));
  EXPECT_TRUE(window.WaitInVain({0}, now + milliseconds(500) + Duration{1}));
  estimator.Observe({0}, 1, 1, milliseconds(100));
  EXPECT_FALSE(window.NextLookAtFirstTask({0}, now)) << "it has ended";
}

TEST_F(TailParts, TasksBehindALateFirstOneWaitInVainIfTheyWouldEndAfterAllOthers) {
  Start({1, 1}, 1000, false);
  Lease({0}, {0, 4}, now);
  estimator.SetRoundTrip({0}, milliseconds(10));
  EXPECT_FALSE(window.WaitInVain({0}, now + milliseconds(490))) << "no time of a task is known";
  estimator.Observe({1}, 10, 10, seconds(1));
  Reserve({1}, {10, 20});
  Refresh();
  EXPECT_FALSE(window.WaitInVain({0}, now + milliseconds(100))) << "a tenth of a second each";
  EXPECT_TRUE(window.WaitInVain({0}, now + milliseconds(490))) << "the first one is late";
}

TEST_F(TailParts, TasksThatWaitHaveCopiesThoughTheRunningOneHasOne) {
  Start({1, 1, 1, 0.1});
  Lease({1}, {0, 3}, now);
  leases.workers[1].running.push_back({0, now});
  leases.copied.Insert({0, 1});
  leases.copy_holders[0].push_back({2});
  leases.workers[2].since = now;
  const auto last = stragglers.SpeculateOnTail({0}, now);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->range, (IndexRange{2, 3}));
  const auto next = stragglers.SpeculateOnTail({3}, now);
  ASSERT_TRUE(next) << "a copy by a slow worker is better than none";
  EXPECT_EQ(next->range, (IndexRange{1, 2}));
}

TEST_F(TailParts, ATaskThatWaitsIsCopiedAgainByAFasterWorker) {
  Start({1, 0.1, 0.05});
  Lease({1}, {0, 2}, now);
  leases.workers[1].running.push_back({0, now});
  leases.copied.Insert({1, 2});
  leases.copy_holders[1].push_back({2});
  leases.workers[2].copies.Insert({1, 2});
  leases.workers[2].since = now;
  const auto copy = stragglers.SpeculateOnTail({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->range, (IndexRange{1, 2})) << "the one that would end last";
}

TEST_F(TailParts, MarksNoStragglersIfNothingMayBeCopiedOrRecalled) {
  Start({1, 1});
  Lease({1}, {0, 1}, now - seconds(60));
  context.balancing.tail_stealing.stealing = false;
  EXPECT_FALSE(stragglers.Mark({1}, now));
  context.balancing.tail_stealing.stealing = true;
  context.balancing.tail_stealing.speculation = model::Speculation::kDisabled;
  EXPECT_FALSE(stragglers.Mark({1}, now));
  context.balancing.tail_stealing.speculation = model::Speculation::kWhenIdle;
  EXPECT_TRUE(stragglers.Mark({1}, now));
}

TEST_F(TailParts, AnIdleWorkerCopiesTheTailIfItEndsEarlier) {
  Start({10, 1});
  Lease({1}, {4, 5}, now);
  EXPECT_FALSE(stragglers.SpeculateOnTail({1}, now)) << "its own task";
  const auto copy = stragglers.SpeculateOnTail({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->worker, WorkerId{0});
  EXPECT_EQ(copy->range, (IndexRange{4, 5}));
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now));
  stragglers.BeginRound();
  context.idempotent = false;
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "no task may run twice";
}

TEST_F(TailParts, AnIdleWorkerCopiesForTheCaseThatAnotherFails) {
  Start({1, 1, 1, 1});
  Lease({1}, {1, 2}, now - milliseconds(100));
  Lease({2}, {2, 3}, now - milliseconds(600));
  Lease({3}, {3, 4}, now - milliseconds(300));
  for (const std::int64_t next : {2, 3, 1}) {  // the one that has run longest first
    const auto copy = stragglers.SpeculateOnTail({0}, now);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->range, (IndexRange{next, next + 1})) << "it would end after the original";
  }
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "one copy of each in a round";
  stragglers.BeginRound();
  context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "a bounded copy has to save time";
}

TEST_F(TailParts, AtMostTwoCopiesOfATaskAreMadeForTheCaseThatAnotherFails) {
  Start({1, 1, 1, 1});
  Lease({1}, {1, 2}, now - milliseconds(500));
  leases.copy_holders[1] = {{2}};
  leases.workers[2].since = now;
  leases.workers[3].since = now;
  EXPECT_TRUE(stragglers.SpeculateOnTail({0}, now));
  stragglers.BeginRound();
  leases.copy_holders[1] = {{2}, {3}};
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now));
}

// A rate of 4 a second fell to 0.1 without a sign of it: by the time so far, the task seems to be a
// long one of which a copy would save nothing.
TEST_F(TailParts, CopiesOnSlowWorkersDoNotKeepAFastOneFromMakingOne) {
  Start({3, 4, 1, 1});
  Lease({1}, {1, 2}, now - seconds(2));
  for (const std::uint32_t holder : {2U, 3U}) Copy({holder}, 1, now - milliseconds(900));
  const auto copy = stragglers.SpeculateOnTail({0}, now);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->range, (IndexRange{1, 2}));
}

// The board has become slower: the task that is not late will be.
TEST_F(TailParts, IfOneTaskOfAWorkerIsLateAllItsTasksAreExpectedToTakeLonger) {
  Start({1, 1});
  estimator.SetThreads({1}, 2);
  Lease({1}, {0, 2}, now - seconds(20));
  leases.workers[1].running = {{0, now - milliseconds(100)}, {1, now - milliseconds(100)}};
  const double expected = predictor.RunningAt({1}, now).back().residual.mean;
  leases.workers[1].running.front().since = now - seconds(20);
  const auto running = predictor.RunningAt({1}, now);
  ASSERT_EQ(running.size(), 2U);
  EXPECT_EQ(running.back().rate, running.front().rate);
  EXPECT_GT(running.back().residual.mean, 1.2 * expected);
}

TEST_F(TailParts, CopiesThatAreLateThemselvesAreNotCounted) {
  Start({3, 4, 3, 3});
  Lease({1}, {1, 2}, now - seconds(2));
  Copy({2}, 1, now - milliseconds(300));
  Copy({3}, 1, now - milliseconds(900));
  EXPECT_TRUE(stragglers.SpeculateOnTail({0}, now)) << "one should have ended 0.6 s ago";
  leases.workers[3].since = now - milliseconds(300);
  stragglers.BeginRound();
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now));
}

TEST_F(TailParts, CopiesThatSaveNothingAreDroppedForFirstRuns) {
  Start({10, 1, 1, 1});
  Lease({1}, {1, 2}, now - milliseconds(500));
  for (const std::uint32_t holder : {2U, 0U, 3U}) Copy({holder}, 1, now);
  const auto workers = [this](std::int64_t most) {
    std::vector<std::uint32_t> dropped;
    for (const auto& drop : stragglers.CopiesToDrop(most, now)) {
      EXPECT_EQ(drop.range, (IndexRange{1, 2}));
      dropped.push_back(drop.worker.value);
    }
    return dropped;
  };
  EXPECT_EQ(workers(10), (std::vector<std::uint32_t>{2, 3})) << "that of worker 0 ends first";
  EXPECT_EQ(workers(1), (std::vector<std::uint32_t>{2}));
  leases.workers[2].connected = false;
  EXPECT_EQ(workers(10), (std::vector<std::uint32_t>{3})) << "a message cannot reach worker 2";
}

TEST_F(TailParts, ACopyThatMayBeTheOnlyOneToEndIsNotDropped) {
  Start({10, 1, 8});
  Lease({1}, {1, 2}, now);
  Copy({0}, 1, now);
  Copy({2}, 1, now);
  EXPECT_EQ(stragglers.CopiesToDrop(10, now).size(), 1U) << "worker 0 is faster than worker 2";
  leases.workers[0].connected = false;
  EXPECT_TRUE(stragglers.CopiesToDrop(10, now).empty()) << "worker 0 may not come back";
}

TEST_F(TailParts, ThatThereIsNothingToCopyIsRemembered) {
  Start({1, 1, 1, 1});
  context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  Lease({1}, {1, 2}, now);
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "a copy would end later";
  Lease({2}, {2, 3}, now);
  leases.workers[2].running.push_back({2, now - seconds(60)});
  predictor.Update({2}, now);
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "for a 64th of the time";
  estimator.Observe({3}, 100, 100, seconds(10));
  EXPECT_TRUE(stragglers.SpeculateOnTail({3}, now)) << "it is faster";
  stragglers.BeginRound();
  now += seconds(2);
  EXPECT_TRUE(stragglers.SpeculateOnTail({0}, now));
}

TEST_F(TailParts, BoundedSpeculationCopiesATaskOnceAndATenthOfTheJobInAll) {
  Start({10, 1, 1, 1}, 20);
  context.balancing.tail_stealing.speculation = model::Speculation::kBounded;
  for (std::uint32_t i = 1; i < 4; ++i) Lease({i}, {i, i + 1}, now);
  for (int copies = 0; copies < 2; ++copies) {
    const auto copy = stragglers.SpeculateOnTail({0}, now);
    ASSERT_TRUE(copy);
    EXPECT_FALSE(leases.copied.Overlaps(copy->range)) << "it has a copy";
    leases.copied.Insert(copy->range);
    stragglers.BeginRound();
  }
  leases.copied.Clear();
  EXPECT_FALSE(stragglers.SpeculateOnTail({0}, now)) << "a tenth of the job was copied";
  context.balancing.tail_stealing.speculation = model::Speculation::kWhenIdle;
  now += kFoundNothingStands;
  EXPECT_TRUE(stragglers.SpeculateOnTail({0}, now));
}

TEST_F(TailParts, ARecallAsksForHalfOfTheWaitingTasks) {
  Start({1, 1});
  Lease({1}, {0, 9}, now);
  const auto asked = recall.RecallFor({0}, now);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->worker, WorkerId{1});
  EXPECT_NEAR(static_cast<double>(asked->max_tasks), 4.5, 0.6);
  EXPECT_EQ(recall.ThiefOf({1}), WorkerId{0});
  EXPECT_FALSE(recall.RecallFor({0}, now)) << "a recall is under way";
  EXPECT_FALSE(recall.RecallAll({1}));
}

TEST_F(TailParts, AFailedRecallIsNotRepeatedUntilTheLeasesChange) {
  Start({1, 1});
  Lease({1}, {0, 9}, now);
  ASSERT_TRUE(recall.RecallFor({0}, now));
  EXPECT_EQ(recall.Ended({1}), WorkerId{0});
  EXPECT_FALSE(recall.RecallFor({0}, now));
  leases.workers[1].leased.Erase({0, 1});
  predictor.Update({1}, now);
  EXPECT_TRUE(recall.RecallFor({0}, now));
  recall.GaveBack({1});
  (void)recall.Ended({1});
  EXPECT_TRUE(recall.RecallFor({0}, now)) << "it gave something back";
}

TEST_F(TailParts, RecallsAllWaitingTasksWithoutAThief) {
  Start({1, 1});
  Lease({1}, {0, 9}, now);
  const auto asked = recall.RecallAll({1});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->max_tasks, 8);
  EXPECT_FALSE(recall.ThiefOf({1}));
  EXPECT_FALSE(recall.RecallAll({0})) << "it has nothing";
}

}  // namespace
}  // namespace evenkeel::scheduling
