#include <gtest/gtest.h>

#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

class ExpectedRates : public CoordinatorFixture {
 protected:
  /// Two nodes with rates from earlier jobs, and 900 tasks of one unit each.
  void StartWith(double rate_of_a, double rate_of_b) {
    config.nodes = {{"a", 2.0, {}, false, rate_of_a, 0.1}, {"b", 1.0, {}, false, rate_of_b, 0.1}};
    Start(900, 0);
    Connect(1, 0);
    Connect(2, 1);
  }
  [[nodiscard]] double Eta() {
    const auto eta = coordinator().CurrentProgress(now).eta;
    return eta ? ToSeconds(*eta) : -1;
  }
};

TEST_F(ExpectedRates, TellTheEndBeforeAnythingIsMeasured) {
  StartWith(100, 50);
  EXPECT_NEAR(Eta(), 6, 0.01);
  for (const auto& node : coordinator().CurrentProgress(now).nodes) EXPECT_EQ(node.rate, 0);
}

TEST_F(ExpectedRates, WithoutThemTheEndIsNotKnown) {
  Start(900, 2);
  Connect(1, 0);
  EXPECT_EQ(Eta(), -1);
}

TEST_F(ExpectedRates, ThatAreWrongAreForgottenAtTheFirstReport) {
  StartWith(1e9, 5e8);
  EXPECT_LT(Eta(), 1e-3);
  now += std::chrono::milliseconds(1);
  Done(1, {0, 1});  // a task in a millisecond: a thousand a second, and half of that at b
  EXPECT_NEAR(Eta(), 899.0 / 1500, 0.05);
}

}  // namespace
}  // namespace evenkeel::engine
