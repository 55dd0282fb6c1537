// The worker's state machine bounds its messages and its wake-ups.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "core/engine/worker.h"

namespace evenkeel::engine {
namespace {

using model::IndexRange;
using std::chrono::milliseconds;

class WorkerReports : public ::testing::Test {
 protected:
  WorkerReports() : worker_(Config()) {
    static_cast<void>(worker_.OnConnected(now_));
    Welcome welcome;
    welcome.epoch = 1;
    welcome.report_interval = milliseconds(100);
    welcome.lease = std::chrono::seconds(10);
    welcome.task_timeout = std::chrono::hours(1);
    static_cast<void>(worker_.OnMessage(welcome, now_));
    static_cast<void>(worker_.OnMessage(Assign{{{GrantId{1}, {0, 10'000}, false}}}, now_));
  }

  static WorkerConfig Config() {
    WorkerConfig config;
    config.threads = 2;
    config.max_unacknowledged_bytes = 4 << 20;
    return config;
  }

  /// Thread 0 takes a batch and runs `tasks` of it at most, of 100 KB each.
  Worker::Effects RunBatch(std::int64_t tasks = 1'000'000) {
    const auto batch = worker_.Take(0, now_);
    if (!batch) return {};
    BatchOutcome outcome;
    outcome.started = now_;
    const std::int64_t count = std::min(tasks, batch->range.Size());
    for (std::int64_t i = 0; i < count; ++i) outcome.results.Append(std::string(100'000, 'x'));
    outcome.busy = count * milliseconds(1);
    now_ += outcome.busy;
    outcome.ended = now_;
    return worker_.OnBatchDone(0, std::move(outcome), now_);
  }

  static std::vector<Report> Reports(const Worker::Effects& effects) {
    std::vector<Report> reports;
    for (const auto& effect : effects) {
      const auto* send = std::get_if<Worker::SendToCoordinator>(&effect);
      if (send == nullptr) continue;
      if (const auto* report = std::get_if<Report>(&send->message)) reports.push_back(*report);
    }
    return reports;
  }

  static bool Wakes(const Worker::Effects& effects) {
    return std::any_of(effects.begin(), effects.end(), [](const auto& effect) {
      return std::holds_alternative<Worker::WorkAvailable>(effect);
    });
  }

  Instant now_{};
  Worker worker_;
};

TEST_F(WorkerReports, AfterALongAbsenceOfTheCoordinatorNoMessageOutgrowsAMebibyte) {
  worker_.OnDisconnected(now_);
  std::int64_t kept = 0;
  while (worker_.Take(1, now_)) {  // until results fill the worker
    static_cast<void>(worker_.OnBatchDone(1, {}, now_));
    static_cast<void>(RunBatch());
    ASSERT_LT(++kept, 1000);
  }
  static_cast<void>(worker_.OnConnected(now_));
  now_ += milliseconds(100);
  const auto reports = Reports(worker_.OnTimer(now_));
  EXPECT_GT(reports.size(), 4U);
  std::int64_t tasks = 0;
  for (const Report& report : reports) {
    std::size_t bytes = 0;
    for (const auto& row : report.completed) {
      bytes += row.results.Bytes().size();
      tasks += row.range.Size();
    }
    EXPECT_LE(bytes, 1U << 20);
  }
  EXPECT_GT(tasks, 40);
}

TEST_F(WorkerReports, AFullWorkerReportsFreeRoom) {
  std::vector<IndexRange> reported;
  while (const auto batch = worker_.Take(1, now_)) {
    static_cast<void>(worker_.OnBatchDone(1, {}, now_));
    for (const Report& report : Reports(RunBatch())) {
      for (const auto& row : report.completed) reported.push_back(row.range);
    }
    ASSERT_LT(reported.size(), 1000U);
  }
  ASSERT_FALSE(reported.empty());
  EXPECT_TRUE(Wakes(worker_.OnMessage(Acknowledge{reported, 1}, now_)));
  EXPECT_TRUE(worker_.Take(0, now_));
}

TEST_F(WorkerReports, TheRestOfABatchIsOfferedToThreadsThatWait) {
  static_cast<void>(RunBatch());  // from now on the time of a task is known
  const auto effects = RunBatch(1);
  EXPECT_TRUE(Wakes(effects));
}

}  // namespace
}  // namespace evenkeel::engine
