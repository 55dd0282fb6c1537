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

const ProfileKey kPrimes{"lab", "primes"};
const ProfileKey kMatmul{"lab", "matmul"};
const kube::ObjectKey kFirst{"lab", "first"};
const kube::ObjectKey kSecond{"lab", "second"};

class QueuedHistoryTest : public testing::Test {
 protected:
  [[nodiscard]] std::size_t Asked() const { return scripted_.script->requests.size(); }
  /// The units of node "a" in the answer; -1 if there is none.
  [[nodiscard]] double Units(const ProfileKey& key) const {
    const auto answer = history_.Find(key);
    return answer && answer->samples.contains("a") ? answer->samples.at("a").units : -1;
  }
  /// Asks for the profile and lets the queue work.
  void Answer(const ProfileKey& key) {
    history_.Request(key, kFirst);
    while (history_.AnswerOne()) {
    }
  }

  ManualClock clock_;
  ScriptedPrometheus scripted_;
  bool known_ = true;
  std::vector<kube::ObjectKey> reported_;
  QueuedHistory history_{[this] { return known_ ? scripted_.prometheus : nullptr; },
                         clock_,
                         {seconds(5), seconds(30)},
                         [this](const kube::ObjectKey& job) { reported_.push_back(job); }};
};

TEST_F(QueuedHistoryTest, JobsThatStartTogetherAreOneQuery) {
  scripted_.script->Answer(200, RatesJson("a", "1", "1")).Answer(200, RatesJson("a", "2", "1"));
  EXPECT_FALSE(history_.Find(kPrimes));
  history_.Request(kPrimes, kFirst);
  history_.Request(kPrimes, kSecond);
  EXPECT_TRUE(reported_.empty()) << "Request() does not wait for Prometheus";
  EXPECT_TRUE(history_.AnswerOne());
  EXPECT_FALSE(history_.AnswerOne());
  EXPECT_EQ(reported_, (std::vector<kube::ObjectKey>{kFirst, kSecond}));
  EXPECT_EQ(Units(kPrimes), 1);
  clock_.now += seconds(4);
  history_.Request(kPrimes, kSecond);
  EXPECT_EQ(reported_.size(), 3U) << "it is known: at once";
  EXPECT_EQ(Asked(), 1U);
  clock_.now += seconds(1);
  EXPECT_FALSE(history_.Find(kPrimes));
  Answer(kPrimes);
  EXPECT_EQ(Units(kPrimes), 2);
}

TEST_F(QueuedHistoryTest, ProfilesAndNamespacesAreApart) {
  scripted_.script->Answer(200, RatesJson("a", "1", "1"))
      .Answer(200, RatesJson("a", "2", "1"))
      .Answer(200, RatesJson("a", "3", "1"));
  Answer(kPrimes);
  Answer(kMatmul);
  Answer({"school", "primes"});
  EXPECT_EQ(Units(kPrimes), 1);
  EXPECT_EQ(Units(kMatmul), 2);
  EXPECT_EQ(Units({"school", "primes"}), 3);
}

TEST_F(QueuedHistoryTest, AfterAFailureThereAreNoQueriesForAWhile) {
  scripted_.script->Break("silent").Answer(200, RatesJson("a", "1", "1"));
  history_.Request(kPrimes, kFirst);
  history_.Request(kMatmul, kSecond);
  EXPECT_TRUE(history_.AnswerOne());
  EXPECT_EQ(reported_.size(), 2U) << "the other would hear the same";
  EXPECT_EQ(history_.Find(kPrimes)->kind, Kind::kUnreachable);
  clock_.now += seconds(29);
  for (const ProfileKey& key : {kPrimes, kMatmul}) {
    EXPECT_EQ(history_.Find(key)->trouble, "silent");
  }
  EXPECT_EQ(Asked(), 1U);
  clock_.now += seconds(1);
  EXPECT_FALSE(history_.Find(kPrimes));
  Answer(kPrimes);
  EXPECT_EQ(history_.Find(kPrimes)->kind, Kind::kSamples);
}

TEST_F(QueuedHistoryTest, GarbageIsAFailure) {
  scripted_.script->Answer(200, "<html>");
  Answer(kPrimes);
  EXPECT_EQ(history_.Find(kPrimes)->kind, Kind::kInvalid);
  Answer(kPrimes);
  EXPECT_EQ(Asked(), 1U);
}

TEST_F(QueuedHistoryTest, WithoutPrometheusThereIsNoHistory) {
  EXPECT_TRUE(history_.IsThere());
  known_ = false;
  EXPECT_FALSE(history_.IsThere());
  Answer(kPrimes);
  EXPECT_EQ(history_.Find(kPrimes)->kind, Kind::kUnreachable);
  EXPECT_EQ(Asked(), 0U);
}

}  // namespace
}  // namespace evenkeel::controller
