// The thesis's scenarios, worked out by its own formulas: six nodes with 300 tasks each, and 1,000
// more at one of them after 0.1 s.
#include "core/scheduling/strategies/compensated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace evenkeel::scheduling {
namespace {

constexpr double kStart = 0.1;
constexpr double kEach = 300;
constexpr double kExtra = 1000;

/// An overloaded node and its only neighbour.
struct Pair {
  double source_speed;
  double target_speed;
  double link_speed;

  [[nodiscard]] double SourceLoad() const { return kEach - kStart * source_speed + kExtra; }
  [[nodiscard]] double TargetLoad() const { return kEach - kStart * target_speed; }
  [[nodiscard]] double Uncompensated() const {
    const auto excess = ExcessLoads({SourceLoad(), TargetLoad()}, {source_speed, target_speed});
    return LoadsToSend(excess, 0)[1];
  }
  [[nodiscard]] LoadTransfer Transfer() const {
    return {Uncompensated(), source_speed, target_speed, link_speed, TargetLoad() / target_speed};
  }
  [[nodiscard]] double Sent(CompensationSelection selection) const {
    return std::round(CompensatingFactor(selection, Transfer()) * Uncompensated());
  }
  /// The time at which both end if this amount is sent and arrives at once.
  [[nodiscard]] double Finish(double sent) const {
    const double source = kStart + (SourceLoad() - sent) / source_speed;
    const double dry = kStart + TargetLoad() / target_speed;
    const double arrival = kStart + sent / link_speed;
    return std::max(source, std::max(dry, arrival) + sent / target_speed);
  }
  [[nodiscard]] double BestOneShot() const {
    double best = std::numeric_limits<double>::infinity();
    for (double sent = 0; sent <= SourceLoad(); ++sent) best = std::min(best, Finish(sent));
    return best;
  }
};

constexpr Pair kB{200, 200, 100};
constexpr Pair kC{280, 200, 100};
using Selection = CompensationSelection;

TEST(CompensatingFactor, ExcessIsWhatIsAboveTheShareBySpeed) {
  const auto excess = ExcessLoads({1250, 250, 250}, {500, 500, 500});
  EXPECT_DOUBLE_EQ(excess[0], 1250 - 1750.0 / 3);
  EXPECT_NEAR(excess[0] + excess[1] + excess[2], 0, 1e-9);
  EXPECT_DOUBLE_EQ(ExcessLoads({100, 100}, {3, 1})[0], -50);
}

TEST(CompensatingFactor, WhatIsSentFollowsWhatTheOthersCouldTake) {
  const auto sent = LoadsToSend({90, -60, -30, 0}, 0);
  EXPECT_EQ(sent, (std::vector<double>{0, 60, 30, 0}));
  EXPECT_EQ(LoadsToSend({90, -60, -30, 0}, 3), (std::vector<double>{0, 0, 0, 0}));
}

// (a): 500 tasks a second, the load at node 1 with neighbours 2 and 5.
TEST(CompensatingFactor, ScenarioAWithAFastLinkTheThreeFinishTogether) {
  const auto sent = LoadsToSend(ExcessLoads({1250, 250, 250}, {500, 500, 500}), 0);
  const double alone = kStart + 1250.0 / 500;
  EXPECT_NEAR(alone, 2.60, 0.005);
  const double source = kStart + (1250 - sent[1] - sent[2]) / 500;
  const double target = kStart + (250 + sent[1]) / 500;
  EXPECT_NEAR(source, target, 0.01);
  // At 100 a second it comes too late: the neighbours wait for it, and all are later than alone.
  const double late = kStart + sent[1] / 100 + sent[1] / 500;
  EXPECT_NEAR(late, 4.10, 0.01);
  EXPECT_GT(late, alone);
}

TEST(CompensatingFactor, ScenarioBUncompensated) {
  EXPECT_EQ(kB.Uncompensated(), 500);
  EXPECT_DOUBLE_EQ(kStart + kB.Transfer().dry_after, 1.5);
  EXPECT_NEAR(kB.Finish(500), 7.60, 0.005);
}

TEST(CompensatingFactor, ScenarioBCompensated) {
  EXPECT_NEAR(CompensatingFactor(Selection::kFirst, kB.Transfer()), 0.52, 0.0005);
  EXPECT_EQ(kB.Sent(Selection::kFirst), 260);
  EXPECT_NEAR(kB.Finish(260), 5.20, 0.005);
  for (const auto selection : {Selection::kSecond, Selection::kThird}) {
    EXPECT_NEAR(CompensatingFactor(selection, kB.Transfer()), 0.486, 0.0005);
    EXPECT_EQ(kB.Sent(selection), 243);
    EXPECT_NEAR(kB.Finish(243), 5.29, 0.006);
  }
  EXPECT_NEAR(kB.Finish(320), 4.90, 0.005);
  EXPECT_NEAR(kB.BestOneShot(), 4.90, 0.005);
}

TEST(CompensatingFactor, ScenarioCTheThirdIsTheBest) {
  EXPECT_NEAR(kC.Finish(kC.Sent(Selection::kFirst)), 3.930, 0.003);
  EXPECT_NEAR(kC.Finish(kC.Sent(Selection::kSecond)), 3.933, 0.003);
  EXPECT_NEAR(kC.Finish(kC.Sent(Selection::kThird)), 3.912, 0.003);
  EXPECT_NEAR(kC.BestOneShot(), 3.77, 0.005);
}

TEST(CompensatingFactor, ItsLimits) {
  for (const auto selection : {Selection::kFirst, Selection::kSecond, Selection::kThird}) {
    LoadTransfer transfer{500, 200, 150, 1e9, 1e-9};
    EXPECT_NEAR(CompensatingFactor(selection, transfer), 1, 1e-5);
    transfer.link_speed = 1e-6;
    transfer.dry_after = 0.25 * transfer.load / transfer.link_speed;
    EXPECT_NEAR(CompensatingFactor(selection, transfer), 0.25, 1e-6);
    transfer.dry_after *= 5;
    EXPECT_EQ(CompensatingFactor(selection, transfer), 1) << "it never runs dry";
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
