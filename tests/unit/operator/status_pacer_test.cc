#include "operator/status_pacer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace evenkeel::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kBegin{seconds(1000)};

kube::ObjectKey Job(int number) { return {"default", "job-" + std::to_string(number)}; }

/// Jobs that ask again at the times that the pacer returns; records the time of the first write of
/// each.
class WaitingJobs {
 public:
  void AskAt(int job, bool urgent, Instant when) { asks_.insert({when, {job, urgent}}); }

  void RunUntil(Instant end) {
    while (!asks_.empty() && asks_.begin()->first <= end) {
      const auto [now, asker] = *asks_.begin();
      asks_.erase(asks_.begin());
      ++asked_;
      const Duration wait = pacer_.Ask(Job(asker.job), asker.urgent, now);
      if (wait > Duration::zero()) {
        AskAt(asker.job, asker.urgent, now + wait);
      } else {
        written_.push_back({asker.job, now});
      }
    }
  }

  struct Written {
    int job;
    Instant at;
  };
  [[nodiscard]] const std::vector<Written>& AllWritten() const { return written_; }
  [[nodiscard]] int Asked() const { return asked_; }

 private:
  struct Asker {
    int job;
    bool urgent;
  };
  StatusPacer pacer_{milliseconds(200), 5};
  std::multimap<Instant, Asker> asks_;
  std::vector<Written> written_;
  int asked_ = 0;
};

TEST(StatusPacerTest, AllowsFiveWritesASecondForAnyNumberOfJobs) {
  StatusPacer pacer(milliseconds(200), 5);
  int written = 0;
  for (auto at = kBegin; at < kBegin + seconds(60); at += milliseconds(7)) {
    if (pacer.Ask(Job(written), false, at) == Duration::zero()) ++written;
  }
  EXPECT_GE(written, 5 * 59);
  EXPECT_LE(written, 5 * 60 + 5);
}

TEST(StatusPacerTest, ReturnsWhenToAskAgain) {
  StatusPacer pacer(milliseconds(200), 2);
  EXPECT_EQ(pacer.Ask(Job(1), false, kBegin), Duration::zero());
  EXPECT_EQ(pacer.Ask(Job(2), false, kBegin), Duration::zero());
  const Duration wait = pacer.Ask(Job(3), false, kBegin);
  EXPECT_EQ(wait, milliseconds(200));
  EXPECT_EQ(pacer.Ask(Job(3), false, kBegin + wait), Duration::zero());
}

TEST(StatusPacerTest, AThousandWriteInTurnWithFewQuestions) {
  WaitingJobs crowd;
  for (int job = 0; job < 1000; ++job) crowd.AskAt(job, false, kBegin);
  crowd.RunUntil(kBegin + seconds(300));
  ASSERT_EQ(crowd.AllWritten().size(), 1000U);
  int next = 0;
  for (const auto& one : crowd.AllWritten()) EXPECT_EQ(one.job, next++);
  EXPECT_LE(crowd.AllWritten().back().at, kBegin + seconds(201)) << "no slot is left unused";
  EXPECT_LE(crowd.Asked(), 2100);
}

TEST(StatusPacerTest, UrgentWritesGoFirst) {
  WaitingJobs crowd;
  for (int job = 0; job < 500; ++job) crowd.AskAt(job, false, kBegin);
  for (int job = 1000; job < 1020; ++job) crowd.AskAt(job, true, kBegin + seconds(10));
  crowd.RunUntil(kBegin + seconds(15));
  int urgent = 0;
  for (const auto& one : crowd.AllWritten()) urgent += one.job >= 1000 ? 1 : 0;
  EXPECT_EQ(urgent, 20);
  crowd.RunUntil(kBegin + seconds(200));
  EXPECT_EQ(crowd.AllWritten().size(), 520U) << "the others follow";
}

// A busy operator reconciles few jobs a second, so jobs ask late.
TEST(StatusPacerTest, LateJobsLoseTheirPlace) {
  StatusPacer pacer(milliseconds(200), 5);
  for (int job = 0; job < 1000; ++job) (void)pacer.Ask(Job(job), true, kBegin);
  int written = 0;
  for (int second = 10; second < 110; ++second) {
    if (pacer.Ask(Job(2000 + second), true, kBegin + seconds(second)) == Duration::zero()) {
      ++written;
    }
  }
  EXPECT_EQ(written, 100);
}

TEST(StatusPacerTest, AJobThatDoesNotReturnDelaysNoOther) {
  StatusPacer pacer(milliseconds(200), 1);
  EXPECT_EQ(pacer.Ask(Job(0), false, kBegin), Duration::zero());
  for (int job = 1; job < 100; ++job) (void)pacer.Ask(Job(job), true, kBegin);
  EXPECT_GT(pacer.Ask(Job(100), false, kBegin), seconds(19));
  EXPECT_EQ(pacer.Ask(Job(101), false, kBegin + seconds(30)), Duration::zero());
}

}  // namespace
}  // namespace evenkeel::controller
