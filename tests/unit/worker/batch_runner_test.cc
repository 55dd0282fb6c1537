#include "worker/batch_runner.h"

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <utility>

namespace evenkeel::worker {
namespace {

using model::IndexRange;
using model::TaskIndex;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using workloads::TaskCall;
using workloads::TaskFailure;
using workloads::TaskOutcome;

/// Advances only with the duration of tasks; counts the calls of Now().
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override {
    ++looks;
    return now;
  }
  Instant now{};
  mutable int looks = 0;
};

using Task = std::function<TaskOutcome(const TaskCall&, std::string&, TaskFailure&)>;

/// Each task takes `lasts` and returns its index as one byte, unless `run` is set.
class FakeRunner final : public workloads::TaskRunner {
 public:
  FakeRunner(FakeClock& clock, std::function<Duration(TaskIndex)> lasts, Task run = {})
      : clock_(clock), lasts_(std::move(lasts)), run_(std::move(run)) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token, std::string& result,
                  TaskFailure& failure) override {
    clock_.now += lasts_(call.index);
    if (run_) return run_(call, result, failure);
    result += static_cast<char>(call.index);
    return TaskOutcome::kDone;
  }
  Duration TakeWaited() override { return std::exchange(waited, Duration::zero()); }
  model::DataTransfer TakeTransfer() override { return std::exchange(transfer, {}); }

  Duration waited{};
  model::DataTransfer transfer{};

 private:
  FakeClock& clock_;
  std::function<Duration(TaskIndex)> lasts_;
  Task run_;
};

class BatchRunnerTest : public ::testing::Test {
 protected:
  engine::BatchOutcome Run(IndexRange range, std::function<Duration(TaskIndex)> lasts,
                           Task run = {}) {
    BatchRunner runner(std::make_unique<FakeRunner>(clock_, std::move(lasts), std::move(run)),
                       clock_, std::nullopt);
    return RunBatch(runner, {range, false, 0, {}});
  }
  engine::BatchOutcome RunBatch(BatchRunner& runner, const engine::Batch& batch) {
    claim_.Reset(batch.range);
    limit_.Begin(batch.range);
    return runner.Run(batch, claim_, limit_, stop_.get_token());
  }

  FakeClock clock_;
  std::stop_source stop_;
  TaskClaim claim_;
  workloads::RunLimit limit_;
};

TEST_F(BatchRunnerTest, ResultsComeInOrderWithTheTimeOfTheTasks) {
  const auto outcome = Run({3, 6}, [](TaskIndex) { return milliseconds(2); });
  ASSERT_EQ(outcome.results.Count(), 3);
  EXPECT_EQ(outcome.results.Bytes(), "\x03\x04\x05");
  EXPECT_EQ(outcome.busy, milliseconds(6));
  EXPECT_EQ(outcome.ended - outcome.started, milliseconds(6));
}

TEST_F(BatchRunnerTest, WaitingForDataIsToldApart) {
  auto waits = std::make_unique<FakeRunner>(clock_, [](TaskIndex) { return milliseconds(2); });
  waits->waited = milliseconds(1);
  waits->transfer = {100, milliseconds(3)};
  BatchRunner runner(std::move(waits), clock_, std::nullopt);
  const auto first = RunBatch(runner, {{0, 2}, false, 0, {}});
  EXPECT_EQ(first.busy, milliseconds(4));
  EXPECT_EQ(first.waited, milliseconds(1));
  EXPECT_EQ(first.transfer, (model::DataTransfer{100, milliseconds(3)}));
  const auto second = RunBatch(runner, {{2, 4}, false, 0, {}});
  EXPECT_EQ(second.waited, Duration::zero());
  EXPECT_EQ(second.transfer, model::DataTransfer{});
}

TEST_F(BatchRunnerTest, DataThatCameToAFailedTaskCountWithTheNextResult) {
  auto fails = std::make_unique<FakeRunner>(
      clock_, [](TaskIndex) { return milliseconds(2); },
      [](const TaskCall& call, std::string& result, TaskFailure& failure) {
        failure.reason = "bad luck";
        result += 'x';
        return call.index == 0 ? TaskOutcome::kFailed : TaskOutcome::kDone;
      });
  fails->transfer = {100, milliseconds(3)};
  BatchRunner runner(std::move(fails), clock_, std::nullopt);
  EXPECT_EQ(RunBatch(runner, {{0, 1}, false, 0, {}}).transfer, model::DataTransfer{});
  EXPECT_EQ(RunBatch(runner, {{1, 2}, false, 0, {}}).transfer,
            (model::DataTransfer{100, milliseconds(3)}));
}

TEST_F(BatchRunnerTest, LargeResultsComeInOrderToo) {
  const std::string large(100 << 10, 'x');
  const auto outcome = Run(
      {0, 3}, [](TaskIndex) { return milliseconds(1); },
      [&](const TaskCall& call, std::string& result, TaskFailure&) {
        result = std::to_string(call.index) + large;
        return TaskOutcome::kDone;
      });
  ASSERT_EQ(outcome.results.Count(), 3);
  for (TaskIndex n = 0; n < 3; ++n) EXPECT_EQ(outcome.results.At(n), std::to_string(n) + large);
}

TEST_F(BatchRunnerTest, TinyTasksDoNotCostALookAtTheClockEach) {
  const auto outcome = Run({0, 6400}, [](TaskIndex) { return Duration(200); });
  EXPECT_EQ(outcome.results.Count(), 6400);
  EXPECT_EQ(outcome.busy, Duration(200) * 6400);
  EXPECT_LT(clock_.looks, 6400 / 64 + 10);
}

TEST_F(BatchRunnerTest, ABatchThatLastsThreeTimesTooLongEndsEarly) {
  const auto outcome = Run({0, 100}, [](TaskIndex) { return milliseconds(5); });
  EXPECT_EQ(outcome.results.Count(), 3);  // 15 ms >= 3 x 4 ms
  EXPECT_FALSE(outcome.failure);
}

TEST_F(BatchRunnerTest, TasksThatSuddenlyGrowLongAreNoticedSoon) {
  const auto outcome =
      Run({0, 100'000}, [](TaskIndex i) { return i < 1000 ? microseconds(1) : milliseconds(1); });
  EXPECT_LE(outcome.results.Count(), 1000 + 64);
}

TEST_F(BatchRunnerTest, AFailureEndsTheBatchAndHasItsOwnTime) {
  const auto outcome = Run(
      {0, 10}, [](TaskIndex) { return milliseconds(1); },
      [](const TaskCall& call, std::string& result, TaskFailure& failure) {
        if (call.index == 2) {
          failure = {"bad luck", 42, "said: ouch"};
          return TaskOutcome::kFailed;
        }
        result = "x";
        return TaskOutcome::kDone;
      });
  EXPECT_EQ(outcome.results.Count(), 2);
  EXPECT_EQ(outcome.failure, (TaskFailure{"bad luck", 42, "said: ouch"}));
  EXPECT_EQ(outcome.busy, milliseconds(2));
  EXPECT_EQ(outcome.failure_busy, milliseconds(1));
}

// A workload's exception once ended the worker process, and then the next one, and so on.
TEST_F(BatchRunnerTest, AnExceptionIsAFailureOfItsTask) {
  const auto outcome = Run(
      {0, 10}, [](TaskIndex) { return milliseconds(1); },
      [](const TaskCall& call, std::string& result, TaskFailure& failure) {
        result = "partial";
        if (call.index == 2) {
          failure = {"half written", 3, "record"};
          throw std::runtime_error("no such\x1b[2J matrix\n" + std::string(100'000, 'x'));
        }
        return TaskOutcome::kDone;
      });
  EXPECT_EQ(outcome.results.Count(), 2);
  ASSERT_TRUE(outcome.failure);
  EXPECT_TRUE(outcome.failure->reason.starts_with("exception: no such?[2J matrix xxx"));
  EXPECT_LE(outcome.failure->reason.size(), 600U);
  EXPECT_FALSE(outcome.failure->exit_code);
  EXPECT_EQ(outcome.failure->record, "");
  EXPECT_EQ(outcome.failure_busy, milliseconds(1));
}

TEST_F(BatchRunnerTest, AnExceptionOfAnyTypeIsAFailureAndTheNextTaskRuns) {
  BatchRunner runner(std::make_unique<FakeRunner>(
                         clock_, [](TaskIndex) { return milliseconds(1); },
                         [](const TaskCall& call, std::string&, TaskFailure&) {
                           if (call.index == 0) throw std::bad_alloc();
                           if (call.index == 1) throw 42;
                           return TaskOutcome::kDone;
                         }),
                     clock_, std::nullopt);
  const auto greedy = RunBatch(runner, {{0, 1}, false, 0, {}});
  EXPECT_EQ(greedy.failure->cause, model::FailureCause::kOutOfMemory);
  EXPECT_EQ(greedy.failure->reason, "it could not allocate memory");
  EXPECT_EQ(RunBatch(runner, {{1, 2}, false, 0, {}}).failure->reason,
            "exception of an unknown type");
  EXPECT_EQ(RunBatch(runner, {{2, 3}, false, 0, {}}).results.Count(), 1);
}

TEST_F(BatchRunnerTest, StopsBetweenTasksAndLeavesTheRest) {
  const auto outcome = Run(
      {0, 10}, [](TaskIndex) { return microseconds(1); },
      [this](const TaskCall& call, std::string&, TaskFailure&) {
        if (call.index == 4) stop_.request_stop();
        return TaskOutcome::kDone;
      });
  EXPECT_EQ(outcome.results.Count(), 5);
  EXPECT_FALSE(outcome.failure);
}

TEST_F(BatchRunnerTest, AfterACutNoFurtherTaskIsStarted) {
  const auto outcome = Run(
      {0, 100}, [](TaskIndex i) { return i < 9 ? microseconds(1) : std::chrono::seconds(5); },
      [this](const TaskCall& call, std::string&, TaskFailure&) {
        if (call.index == 9) {
          EXPECT_EQ(claim_.Cut(clock_.now), (IndexRange{10, 100}));
        }
        return TaskOutcome::kDone;
      });
  EXPECT_EQ(outcome.results.Count(), 10);
}

// The clock is not read between short tasks; a cut records the start of the last one.
TEST_F(BatchRunnerTest, ATaskStoppedAfterACutDoesNotShareItsTimeWithThoseBefore) {
  const auto outcome = Run(
      {0, 1000},
      [this](TaskIndex i) {
        if (i < 70) return Duration(microseconds(1));
        static_cast<void>(claim_.Cut(clock_.now + milliseconds(16)));
        return Duration(std::chrono::seconds(60));
      },
      [](const TaskCall& call, std::string&, TaskFailure&) {
        return call.index < 70 ? TaskOutcome::kDone : TaskOutcome::kStopped;
      });
  EXPECT_EQ(outcome.results.Count(), 70);
  EXPECT_LE(outcome.busy, milliseconds(17));
  EXPECT_GE(clock_.now - outcome.ended, std::chrono::seconds(60) - milliseconds(17));
}

TEST_F(BatchRunnerTest, AMebibyteOfResultsEndsTheBatch) {
  const auto outcome = Run(
      {0, 10}, [](TaskIndex) { return microseconds(1); },
      [](const TaskCall&, std::string& result, TaskFailure&) {
        result.assign(400'000, 'x');
        return TaskOutcome::kDone;
      });
  EXPECT_EQ(outcome.results.Count(), 3);
}

TEST_F(BatchRunnerTest, AResultThatNoMessageCanCarryIsAFailure) {
  const auto outcome = Run(
      {0, 10}, [](TaskIndex) { return microseconds(1); },
      [](const TaskCall&, std::string& result, TaskFailure&) {
        result.assign((15 << 20) + 1, 'x');
        return TaskOutcome::kDone;
      });
  EXPECT_EQ(outcome.results.Count(), 0);
  ASSERT_TRUE(outcome.failure);
  EXPECT_NE(outcome.failure->reason.find("15728641"), std::string::npos);
}

TEST_F(BatchRunnerTest, ATaskIsToldItsAttemptAndItsInput) {
  std::string heard;
  BatchRunner runner(std::make_unique<FakeRunner>(
                         clock_, [](TaskIndex) { return microseconds(1); },
                         [&heard](const TaskCall& call, std::string&, TaskFailure&) {
                           heard += std::to_string(call.attempt) + ":" + std::string(call.input);
                           return TaskOutcome::kDone;
                         }),
                     clock_, std::nullopt);
  const model::TaskInputs inputs(4, model::PackedResults::OfSizes({1, 2, 3}, "abbccc"));
  const auto outcome = RunBatch(runner, {{5, 7}, false, 2, inputs});
  EXPECT_EQ(outcome.results.Count(), 2);
  EXPECT_EQ(heard, "2:bb2:ccc");
}

/// A program that does ranges: `run` gets the limit of its run.
class RangeRunner final : public workloads::TaskRunner {
 public:
  using Range = std::function<TaskOutcome(workloads::RunLimit&, model::PackedResults&)>;
  RangeRunner(FakeClock& clock, Range run) : clock_(clock), run_(std::move(run)) {}
  TaskOutcome Run(const TaskCall&, std::stop_token, std::string&, TaskFailure&) override {
    return TaskOutcome::kFailed;
  }
  TaskOutcome RunRange(IndexRange, std::int32_t, workloads::RunLimit& limit, const std::stop_token&,
                       model::PackedResults& results, TaskFailure& failure) override {
    clock_.now += std::chrono::seconds(9);
    failure.reason = "exit code 1";
    return run_(limit, results);
  }

 private:
  FakeClock& clock_;
  Range run_;
};

class RangeRunTest : public BatchRunnerTest {
 protected:
  engine::BatchOutcome RunRange(IndexRange range, RangeRunner::Range run) {
    BatchRunner runner(std::make_unique<RangeRunner>(clock_, std::move(run)), clock_, std::nullopt);
    return RunBatch(runner, {range, false, 0, {}, true});
  }
  static void Append(std::int64_t count, model::PackedResults& results) {
    for (; count > 0; --count) results.Append(std::string_view());
  }
};

TEST_F(RangeRunTest, AllTasksOfARunThatIsDoneHaveResults) {
  const auto outcome = RunRange({5, 9}, [](workloads::RunLimit& limit, auto& results) {
    Append(limit.End().Size(), results);
    return TaskOutcome::kDone;
  });
  EXPECT_EQ(outcome.results.Count(), 4);
  EXPECT_EQ(outcome.busy, std::chrono::seconds(9));
}

TEST_F(RangeRunTest, ARunMayBeCutWhileItGoesOn) {
  std::vector<TaskIndex> lasts;
  const auto outcome = RunRange({0, 100}, [&](workloads::RunLimit& limit, auto& results) {
    limit.Watch([&lasts](TaskIndex last) { lasts.push_back(last); });
    EXPECT_TRUE(limit.CutTail(10).Empty()) << "it has not said yet what it has done";
    limit.NoteDone(6);
    EXPECT_EQ(limit.Next(), 7);
    EXPECT_EQ(limit.CutTail(10), (IndexRange{90, 100}));
    EXPECT_EQ(limit.CutTail(1'000), (IndexRange{8, 90})) << "7 has begun";
    EXPECT_TRUE(limit.CutTail(1).Empty());
    limit.NoteDone(1'000'000);  // nonsense
    Append(limit.End().Size(), results);
    EXPECT_TRUE(limit.CutTail(1).Empty()) << "it is over";
    return TaskOutcome::kDone;
  });
  EXPECT_EQ(outcome.results.Count(), 8);
  EXPECT_EQ(lasts, (std::vector<TaskIndex>{89, 7}));
}

TEST_F(RangeRunTest, WhatARunReportedAsDoneCountsIfItFails) {
  const auto outcome = RunRange({10, 20}, [](workloads::RunLimit& limit, auto&) {
    limit.NoteDone(13);
    return TaskOutcome::kFailed;
  });
  EXPECT_EQ(outcome.results.Count(), 4);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.busy, std::chrono::seconds(9));
}

TEST_F(RangeRunTest, ARunThatFailsBehindItsLastTaskDoesThatAgain) {
  const auto outcome = RunRange({10, 11}, [](workloads::RunLimit& limit, auto&) {
    limit.NoteDone(10);
    return TaskOutcome::kFailed;
  });
  EXPECT_EQ(outcome.results.Count(), 0);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure_busy, std::chrono::seconds(9));
}

}  // namespace
}  // namespace evenkeel::worker
