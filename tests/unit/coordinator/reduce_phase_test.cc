#include "coordinator/reduce_phase.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "coordinator/job_run.h"
#include "tests/unit/coordinator/empty_journal.h"
#include "tests/unit/coordinator/job_fakes.h"

namespace evenkeel::coordinator {
namespace {

model::ReduceRecord Ended(const std::string& failure, std::int32_t attempts) {
  model::ReduceRecord record;
  record.attempts = attempts;
  record.failure = failure;
  return record;
}

/// Each run of the command ends with a failure, with "" for success, or with one of these.
constexpr const char* kHangs = "hangs until it is stopped";
constexpr const char* kUnavailable = "there is no launcher";

struct Script {
  std::deque<std::string> runs;
  std::vector<std::int32_t> failures;     // told to each run
  std::function<void()> on_hang = [] {};  // called by a run that hangs
  std::vector<std::string> journal;       // what was recorded
  ReduceHistory history;                  // in the journal
};

class ScriptedCommand final : public workloads::ReduceCommand {
 public:
  explicit ScriptedCommand(Script& script) : script_(script) {}
  [[nodiscard]] std::string Identity() const override { return "plot"; }
  [[nodiscard]] Result<model::ReduceRecord> Run(std::int32_t failures,
                                                const std::stop_token& stop) override {
    script_.failures.push_back(failures);
    const std::string run = script_.runs.front();
    script_.runs.pop_front();
    if (run == kUnavailable) return Fail(ErrorCode::kUnavailable, run);
    if (run != kHangs) return Ended(run, failures + 1);
    script_.on_hang();
    while (!stop.stop_requested()) std::this_thread::yield();
    return Ended("", failures + 1);  // it may exit with 0 when it is stopped
  }

 private:
  Script& script_;
};

class ReducedWorkload final : public workloads::Workload {
 public:
  explicit ReducedWorkload(Script& script) : script_(script) {}
  [[nodiscard]] std::string_view Name() const override { return tasks_.Name(); }
  [[nodiscard]] std::uint32_t Version() const override { return tasks_.Version(); }
  [[nodiscard]] std::int64_t TaskCount() const override { return tasks_.TaskCount(); }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return tasks_.Costs();
  }
  [[nodiscard]] std::unique_ptr<workloads::TaskRunner> MakeRunner(
      const workloads::RunnerOptions& options) const override {
    return tasks_.MakeRunner(options);
  }
  [[nodiscard]] std::unique_ptr<workloads::Reducer> MakeReducer() const override {
    return tasks_.MakeReducer();
  }
  [[nodiscard]] std::unique_ptr<workloads::ReduceCommand> MakeReduceCommand(
      const workloads::ReducePlace&) const override {
    return std::make_unique<ScriptedCommand>(script_);
  }

 private:
  const FakeWorkload tasks_{5};
  Script& script_;
};

class ScriptedJournal final : public EmptyJournal {
 public:
  explicit ScriptedJournal(Script& script) : script_(script) {}
  [[nodiscard]] Result<ReduceHistory> ReadReduce(const std::string& command) const override {
    EXPECT_EQ(command, "plot");
    return script_.history;
  }
  Result<void> BeginReduce(const std::string&) override {
    script_.journal.emplace_back("begin");
    return {};
  }
  Result<void> EndReduce(const std::optional<model::ReduceRecord>& record) override {
    script_.journal.push_back(!record                   ? "interrupted"
                              : record->failure.empty() ? "succeeded"
                                                        : record->failure);
    return {};
  }
  Result<void> ForgetFailedReduce() override {
    script_.history = {};
    return {};
  }

 private:
  Script& script_;
};

class ReducePhaseTest : public testing::Test {
 public:
  ~ReducePhaseTest() override { std::filesystem::remove_all(config_.folder); }

 protected:
  ReducePhaseTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "evenkeel-reduce-XXXXXX").string();
    config_.folder = mkdtemp(pattern.data());
    config_.settings.shortest_pause = std::chrono::milliseconds(1);
    spec_.task_policy.backoff_limit_per_task = 1;
  }

  RunEnd Run(model::JobState state = model::JobState::kComplete) {
    RunEnd end;
    end.state = state;
    end.version =
        std::make_shared<const JobVersion>(spec_, std::make_shared<ReducedWorkload>(script_));
    ScriptedJournal journal(script_);
    const auto done = phase_.Run(
        config_, journal, [this](std::int32_t n) { attempts_.push_back(n); }, end);
    error_ = done ? "" : done.error().message;
    return end;
  }

  using Words = std::vector<std::string>;
  SteadyClock clock_;
  ReducePhase phase_{clock_};
  ReducePhase::Config config_;
  model::JobSpec spec_ = FakeSpec();
  Script script_;
  std::vector<std::int32_t> attempts_;
  std::string error_;
};

TEST_F(ReducePhaseTest, AJobStaysCompleteIfItsCommandSucceeds) {
  script_.runs = {""};
  const RunEnd end = Run();
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(end.result_json, "{}");
  ASSERT_TRUE(end.reduce);
  EXPECT_EQ(end.reduce->attempts, 1);
  EXPECT_EQ(script_.journal, (Words{"begin", "succeeded"}));
  EXPECT_TRUE(std::filesystem::is_directory(config_.folder / kReduceFolder));
}

TEST_F(ReducePhaseTest, ItDoesNotRunForAJobThatIsNotComplete) {
  for (const auto state : {model::JobState::kFailed, model::JobState::kInterrupted}) {
    const RunEnd end = Run(state);
    EXPECT_EQ(end.state, state);
    EXPECT_FALSE(end.result_json);
  }
  EXPECT_TRUE(attempts_.empty());
}

TEST_F(ReducePhaseTest, AFailureIsTriedAgain) {
  script_.runs = {"exit code 1", ""};
  const RunEnd end = Run();
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(script_.failures, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(attempts_, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(script_.journal, (Words{"begin", "exit code 1", "begin", "succeeded"}));
}

TEST_F(ReducePhaseTest, TooManyFailuresFailTheJob) {
  script_.runs = {"exit code 1", "exit code 2: no"};
  const RunEnd end = Run();
  EXPECT_EQ(end.state, model::JobState::kFailed);
  EXPECT_EQ(end.cause, model::EndCause::kReduceFailed);
  EXPECT_EQ(end.reason, "command.reduce failed 2 times: exit code 2: no");
  EXPECT_EQ(end.reduce->failure, "exit code 2: no");
  EXPECT_TRUE(end.result_json);
}

TEST_F(ReducePhaseTest, WhatSucceededOrFailedBeforeIsNotRunAgain) {
  script_.history.last = Ended("", 1);
  EXPECT_EQ(Run().state, model::JobState::kComplete);
  script_.history.last = Ended("exit code 1", 2);
  script_.history.failed = 2;
  EXPECT_EQ(Run().cause, model::EndCause::kReduceFailed);
  EXPECT_TRUE(attempts_.empty());
  config_.settings.forgets_failures = true;
  script_.runs = {""};
  EXPECT_EQ(Run().state, model::JobState::kComplete);
  EXPECT_EQ(script_.failures, (std::vector<std::int32_t>{0}));
}

TEST_F(ReducePhaseTest, ACommandThatKeepsEndingItsCoordinatorFailsTheJob) {
  script_.history.lost = 4;
  script_.runs = {""};
  EXPECT_EQ(Run().state, model::JobState::kComplete);
  EXPECT_EQ(attempts_, (std::vector<std::int32_t>{5}));
  script_.history.lost = 5;
  EXPECT_EQ(Run().reason, "command.reduce: the coordinator was lost 5 times while it ran");
}

TEST_F(ReducePhaseTest, AnInterruptedRunIsNotCharged) {
  script_.runs = {kHangs};
  script_.on_hang = [this] { phase_.Interrupt("suspended"); };
  const RunEnd end = Run();
  EXPECT_EQ(end.state, model::JobState::kInterrupted);
  EXPECT_EQ(end.reason, "suspended");
  EXPECT_EQ(script_.journal, (Words{"begin", "interrupted"}));
}

TEST_F(ReducePhaseTest, AnInterruptBeforeItStartsIsHeard) {
  phase_.Interrupt("told to stop");
  EXPECT_EQ(Run().state, model::JobState::kInterrupted);
  EXPECT_TRUE(attempts_.empty());
}

TEST_F(ReducePhaseTest, TheTimeoutOfTasksHolds) {
  spec_.task_policy.backoff_limit_per_task = 0;
  spec_.task_policy.timeout = std::chrono::milliseconds(1);
  script_.runs = {kHangs};
  const RunEnd end = Run();
  EXPECT_EQ(end.cause, model::EndCause::kReduceFailed);
  EXPECT_NE(end.reason.find("did not end within 0 s"), std::string::npos) << end.reason;
}

TEST_F(ReducePhaseTest, TheDeadlineOfTheJobHolds) {
  config_.deadline = clock_.Now() + std::chrono::milliseconds(1);
  config_.deadline_reason = "late";
  script_.runs = {kHangs};
  const RunEnd end = Run();
  EXPECT_EQ(end.state, model::JobState::kFailed);
  EXPECT_EQ(end.cause, model::EndCause::kDeadlineExceeded);
  EXPECT_EQ(end.reason, "late");
}

TEST_F(ReducePhaseTest, AContainerThatIsNotThereYetIsWaitedFor) {
  config_.settings.launcher_socket = "/run/launcher.sock";
  script_.runs = {kUnavailable, kUnavailable, kUnavailable, ""};
  EXPECT_EQ(Run().state, model::JobState::kComplete);
  EXPECT_EQ(script_.failures, (std::vector<std::int32_t>{0, 0, 0, 0}));
}

TEST_F(ReducePhaseTest, ALauncherThatCannotBeStartedIsAnError) {
  script_.runs = {kUnavailable};
  Run();
  EXPECT_EQ(error_, kUnavailable);
  EXPECT_EQ(script_.journal, (Words{"begin", "interrupted"}));
}

}  // namespace
}  // namespace evenkeel::coordinator
