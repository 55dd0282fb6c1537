#include <gtest/gtest.h>

#include "operator/history/history_source.h"
#include "tests/unit/operator/history/scripted_prometheus.h"

namespace evenkeel::controller {
namespace {

using Kind = plan::HistoryAnswer::Kind;
using std::chrono::seconds;

class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now; }
  Instant now{};
};

class CachedHistoryTest : public testing::Test {
 protected:
  [[nodiscard]] std::size_t Asked() const { return scripted_.script->requests.size(); }

  ManualClock clock_;
  ScriptedPrometheus scripted_;
  bool known_ = true;
  CachedHistory history_{[this] { return known_ ? scripted_.prometheus : nullptr; },
                         clock_,
                         {seconds(5), seconds(30)}};
};

TEST_F(CachedHistoryTest, JobsThatStartTogetherAreOneQuestion) {
  scripted_.script->Answer(200, RatesJson("a", "1", "1")).Answer(200, RatesJson("a", "2", "1"));
  EXPECT_EQ(history_.Ask("primes").samples.at("a").units, 1);
  clock_.now += seconds(4);
  EXPECT_EQ(history_.Ask("primes").samples.at("a").units, 1);
  EXPECT_EQ(Asked(), 1U);
  clock_.now += seconds(1);
  EXPECT_EQ(history_.Ask("primes").samples.at("a").units, 2);
}

TEST_F(CachedHistoryTest, ProfilesAreApart) {
  scripted_.script->Answer(200, RatesJson("a", "1", "1")).Answer(200, RatesJson("a", "2", "1"));
  EXPECT_EQ(history_.Ask("primes").samples.at("a").units, 1);
  EXPECT_EQ(history_.Ask("matmul").samples.at("a").units, 2);
}

TEST_F(CachedHistoryTest, AfterAFailureNobodyWaitsForTheNext) {
  scripted_.script->Break("silent").Answer(200, RatesJson("a", "1", "1"));
  EXPECT_EQ(history_.Ask("primes").kind, Kind::kUnreachable);
  clock_.now += seconds(29);
  for (const char* profile : {"primes", "matmul"}) {
    EXPECT_EQ(history_.Ask(profile).trouble, "silent");
  }
  EXPECT_EQ(Asked(), 1U);
  clock_.now += seconds(1);
  EXPECT_EQ(history_.Ask("primes").kind, Kind::kSamples);
  EXPECT_EQ(history_.Ask("primes").kind, Kind::kSamples);
}

TEST_F(CachedHistoryTest, GarbageIsAFailure) {
  scripted_.script->Answer(200, "<html>");
  EXPECT_EQ(history_.Ask("primes").kind, Kind::kInvalid);
  EXPECT_EQ(history_.Ask("primes").kind, Kind::kInvalid);
  EXPECT_EQ(Asked(), 1U);
}

TEST_F(CachedHistoryTest, WithoutPrometheusThereIsNone) {
  EXPECT_TRUE(history_.IsThere());
  known_ = false;
  EXPECT_FALSE(history_.IsThere());
  EXPECT_EQ(history_.Ask("primes").kind, Kind::kUnreachable);
  EXPECT_EQ(Asked(), 0U);
}

}  // namespace
}  // namespace evenkeel::controller
