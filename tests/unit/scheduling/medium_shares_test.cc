#include "core/scheduling/tail_stealing/medium_shares.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/unit/scheduling/leases.h"

namespace evenkeel::scheduling {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(DivideMedium, WorkersWithTheShortestTransfersComeFirst) {
  const std::vector<MediumUser> users = {{10, 0.2}, {75, 0.002}, {50, 0.02}};
  const auto rates = DivideMedium(users, 1);
  EXPECT_DOUBLE_EQ(rates[1], 75);
  EXPECT_DOUBLE_EQ(rates[2], 42.5);  // what 75 transfers of 2 ms leave
  EXPECT_DOUBLE_EQ(rates[0], 0);
}

TEST(DivideMedium, AllGetWhatTheyComputeWhileThereIsCapacity) {
  const auto rates = DivideMedium({{10, 0.02}, {75, 0.002}, {50, 0}}, 1);
  EXPECT_EQ(rates, (std::vector<double>{10, 75, 50}));
  EXPECT_TRUE(DivideMedium({}, 1).empty());
}

TEST(DivideMedium, WorkersThatDoNotUseItNeedNoCapacity) {
  const auto rates = DivideMedium({{50, 0}, {75, 0.002}}, 0);
  EXPECT_EQ(rates, (std::vector<double>{50, 0}));
}

/// Three workers that compute 50 tasks a second each; the data of their tasks take 2, 2 and 100 ms.
class MediumSharesTest : public testing::Test {
 protected:
  static constexpr double kComputed = 50;
  static constexpr double kSlow = 0.1;
  static constexpr double kFast = 0.002;

  MediumSharesTest() {
    for (std::uint32_t i = 0; i < 3; ++i) {
      estimator.AddWorker(1, 1);
      estimator.SetRoundTrip({i}, Duration{milliseconds(1)});
      leases.workers.emplace_back();
    }
    pool.AddWorkers(3);
    pool.Insert({0}, {{{0, 100'000}, 0}});
    medium.AddWorkers(3);
  }

  void Complete(std::uint32_t worker, std::int64_t tasks, double transfer) {
    if (tasks == 0) return;
    estimator.Observe({worker}, tasks, tasks, FromSeconds(static_cast<double>(tasks) / kComputed));
    estimator.NoteDelivery({worker}, milliseconds(1) + FromSeconds(transfer), 1);
  }

  /// Tasks of a worker in 100 ms, when it may get as many as it can take.
  using Completes = std::function<std::int64_t(std::uint32_t worker)>;
  /// Returns when limits first changed; kNever if they did not within the time.
  Instant Run(Duration time, const Completes& completes) {
    Instant changed = kNever;
    for (const Instant end = now + time; now < end; now += milliseconds(100)) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        const bool held = medium.HeldUntil({i}, now).has_value();
        const std::int64_t tasks = held ? 0 : completes(i);
        if (tasks > 0) medium.NoteGrant({i}, 1, now);
        Complete(i, tasks, i == 2 ? kSlow : kFast);
      }
      if (medium.Refresh(now) && changed == kNever) changed = now;
    }
    return changed;
  }
  [[nodiscard]] bool Held(std::uint32_t worker) const { return medium.Limit({worker}).has_value(); }

  /// With the slow one all complete the same, a tenth of what they could: its transfers are in
  /// between.
  [[nodiscard]] std::int64_t OnSharedMedium(std::uint32_t worker) const {
    const bool slow_takes_part = !medium.HeldUntil({2}, now);
    return worker == 2 || slow_takes_part ? 1 : 5;
  }
  /// The slow one completes a tenth of what it could; the others miss little.
  [[nodiscard]] static std::int64_t OnLinksOfTheirOwn(std::uint32_t worker) {
    return worker == 2 ? 1 : 3;
  }

  model::UnitCosts costs{100'000};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  Reservations reservations;
  StrategyContext context{costs, estimator, leases, reservations, {}};
  ReservedPool pool{context};
  MediumShares medium{context, pool};
  Instant now{seconds(100)};
};

TEST_F(MediumSharesTest, ASlowLinkToASharedMediumIsLimitedAndTheOthersAreNot) {
  EXPECT_NE(Run(seconds(12), [this](std::uint32_t i) { return OnSharedMedium(i); }), kNever);
  ASSERT_TRUE(Held(2));
  EXPECT_FALSE(Held(0));
  EXPECT_FALSE(Held(1));
  // It is not cut off: a link that gets better would be noticed.
  EXPECT_GT(*medium.Limit({2}), 0.01);
  EXPECT_LT(*medium.Limit({2}), 10);
}

TEST_F(MediumSharesTest, LinksThatAreNotSharedKeepWhatTheyCarry) {
  const auto completes = [](std::uint32_t i) { return OnLinksOfTheirOwn(i); };
  const Instant first = Run(seconds(6), completes);
  EXPECT_NE(first, kNever) << "a trial";
  EXPECT_FALSE(Held(2)) << "which has ended";
  EXPECT_EQ(Run(seconds(8), completes), kNever) << "the next one is not soon";
  const Instant second = Run(seconds(10), completes);
  EXPECT_NE(second, kNever);
  (void)Run(seconds(4), completes);
  EXPECT_EQ(Run(seconds(7), completes), kNever) << "and the third is even later";
}

TEST_F(MediumSharesTest, NothingIsTriedWhereTransfersAreShort) {
  for (int n = 0; n < 300; ++n, now += milliseconds(100)) {
    for (std::uint32_t i = 0; i < 3; ++i) Complete(i, 1, 0.0005);
    EXPECT_FALSE(medium.Refresh(now));
  }
}

TEST_F(MediumSharesTest, NothingIsTriedWhereWorkersDoNotWait) {
  EXPECT_EQ(Run(seconds(30), [](std::uint32_t) { return 5; }), kNever);
}

TEST_F(MediumSharesTest, NothingIsTriedBetweenEqualLinks) {
  for (int n = 0; n < 300; ++n, now += milliseconds(100)) {
    for (std::uint32_t i = 0; i < 3; ++i) Complete(i, 1, kSlow);
    EXPECT_FALSE(medium.Refresh(now));
  }
}

TEST_F(MediumSharesTest, NothingIsTriedWhereATrialWouldCostMuchOfWhatIsLeft) {
  pool.Withdraw({1000, 100'000});
  EXPECT_EQ(Run(seconds(30), [this](std::uint32_t i) { return OnSharedMedium(i); }), kNever);
}

TEST_F(MediumSharesTest, FewTasksSayNothing) {
  // One task in 5 s each: fewer than 20 in the longest window.
  EXPECT_EQ(Run(seconds(200),
                [this](std::uint32_t) { return (now - Instant{}) % seconds(5) == Duration{}; }),
            kNever);
}

TEST_F(MediumSharesTest, LimitsAreDroppedWhenAWorkerIsLost) {
  const auto completes = [this](std::uint32_t i) { return OnSharedMedium(i); };
  (void)Run(seconds(12), completes);
  ASSERT_TRUE(Held(2));
  leases.workers[0].connected = false;
  (void)Run(milliseconds(1200), completes);
  EXPECT_FALSE(Held(2));
}

TEST_F(MediumSharesTest, LimitsAreDroppedWhenTheyDoNotHelpAnyMore) {
  (void)Run(seconds(12), [this](std::uint32_t i) { return OnSharedMedium(i); });
  ASSERT_TRUE(Held(2));
  // Something else slows the others down to less than they completed without limits.
  (void)Run(seconds(3), [this](std::uint32_t i) {
    return now.time_since_epoch() % milliseconds(300) == Duration{} && i < 2 ? 1 : 0;
  });
  EXPECT_FALSE(Held(2));
}

TEST_F(MediumSharesTest, ALearnerThatCompletesNothingDoesNotHoldTheOthersForLong) {
  bool learning = false;
  const auto completes = [&](std::uint32_t i) -> std::int64_t {
    learning = learning || (Held(0) && Held(2)) || (Held(1) && Held(2));
    return learning ? 0 : OnSharedMedium(i);
  };
  (void)Run(seconds(8), completes);
  ASSERT_TRUE(learning);
  (void)Run(seconds(12), completes);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_FALSE(Held(i)) << i;
}

}  // namespace
}  // namespace evenkeel::scheduling
