// The real evenkeel-worker over loopback.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/integration/transport/recorders.h"
#include "tests/integration/worker/child.h"
#include "tests/integration/worker/tiny_coordinator.h"
#include "worker/worker_process.h"
#include "workloads/registry.h"

namespace evenkeel {
namespace {

using coordinator::StreamId;
using model::IndexRange;

std::vector<std::string> Command(const std::string& address, const std::string& workload,
                                 std::vector<std::string> more = {}) {
  std::vector<std::string> command = {EVENKEEL_WORKER, "--coordinator", address, "--node", "pi",
                                      "--workload",    workload};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

::testing::AssertionResult Has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text;
}

/// A coordinator with prepared messages that records the worker's. Thread-safe.
class Script {
 public:
  /// `parameters` of the workload synthetic; `tasks` are assigned after each first Hello.
  Script(std::string parameters, IndexRange tasks)
      : parameters_(std::move(parameters)), tasks_(tasks) {
    heard.on_message = [this](StreamId stream, const engine::ToCoordinator& message) {
      if (std::holds_alternative<engine::Hello>(message)) SendWelcome(stream);
      if (const auto* report = std::get_if<engine::Report>(&message)) Note(stream, *report);
      if (const auto* back = std::get_if<engine::GiveBack>(&message)) Note(*back);
      said_goodbye = said_goodbye || std::holds_alternative<engine::Goodbye>(message);
    };
    server = *coordinator::WorkerServer::Start({}, heard);
  }
  ~Script() { server->Shutdown(); }

  [[nodiscard]] std::string Address() const {
    return "127.0.0.1:" + std::to_string(server->Port());
  }
  /// Waits until this number of tasks was reported.
  [[nodiscard]] bool AwaitTasks(std::int64_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return reported_.Size() >= count; });
  }
  [[nodiscard]] std::int64_t Reported() {
    const std::lock_guard lock(mutex_);
    return reported_.Size();
  }
  /// Reasons of the tasks that failed, by index.
  [[nodiscard]] std::map<model::TaskIndex, std::string> Failures() {
    const std::lock_guard lock(mutex_);
    return reasons_;
  }
  [[nodiscard]] std::int64_t GivenBack() {
    const std::lock_guard lock(mutex_);
    return given_back_;
  }
  void Forget() {
    const std::lock_guard lock(mutex_);
    reported_ = {};
  }

  RecordingServer heard;
  std::unique_ptr<coordinator::WorkerServer> server;
  std::atomic<bool> acknowledges{true};
  std::atomic<bool> said_goodbye{false};
  Duration task_timeout = std::chrono::hours(1);

 private:
  void SendWelcome(StreamId stream) {
    engine::Welcome welcome;
    welcome.epoch = 1;
    welcome.workload_parameters = parameters_;
    welcome.report_interval = std::chrono::milliseconds(10);
    welcome.lease = std::chrono::seconds(10);
    welcome.task_timeout = task_timeout;
    server->Send(stream, welcome);
    if (!assigned_.exchange(true) && !tasks_.Empty()) {
      server->Send(stream, engine::Assign{{{engine::GrantId{1}, tasks_, false}}});
    }
  }
  void Note(const engine::GiveBack& back) {
    const std::lock_guard lock(mutex_);
    for (const auto& part : back.parts) given_back_ += part.range.Size();
  }
  void Note(StreamId stream, const engine::Report& report) {
    engine::Acknowledge acknowledge;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& failed : report.failed) reasons_[failed.index] = failed.reason;
      for (const auto& completed : report.completed) {
        reported_.Insert(completed.range);
        acknowledge.ranges.push_back(completed.range);
      }
      changed_.notify_all();
    }
    acknowledge.heard = 1;
    if (acknowledges) server->Send(stream, acknowledge);
  }

  const std::string parameters_;
  const IndexRange tasks_;
  std::atomic<bool> assigned_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  model::RangeSet reported_;
  std::map<model::TaskIndex, std::string> reasons_;  // of failed tasks
  std::int64_t given_back_ = 0;
};

constexpr const char* kNothing = R"({"tasks": 1000, "mode": "None"})";

TEST(WorkerProcess, CountsPrimes) {
  TinyCoordinator coordinator("primes", R"({"end": 10000})", "secret");
  Child worker(Command(coordinator.Address(), "primes", {"--threads", "2"}), "secret");
  EXPECT_EQ(coordinator.AwaitEnd(), model::JobState::kComplete);
  EXPECT_EQ(worker.AwaitExit(), 0) << worker.ReadAll();
  EXPECT_TRUE(Has(coordinator.FinishResult(), "1229"));
}

TEST(WorkerProcess, ExitsWithThreeAndTheReasonWhenRefused) {
  TinyCoordinator coordinator("primes", R"({"end": 100})", "secret");
  Child worker(Command(coordinator.Address(), "primes"), "guessed");
  EXPECT_EQ(worker.AwaitExit(), 3);
  EXPECT_TRUE(Has(worker.ReadAll(), "token"));
}

TEST(WorkerProcess, ExitsWithOneLineOnInvalidParameters) {
  Script script(R"({"tasks": -4, "mode": "None"})", {});
  Child worker(Command(script.Address(), "synthetic"));
  EXPECT_EQ(worker.AwaitExit(), 1);
  EXPECT_TRUE(Has(worker.ReadAll(), "spec.workload.synthetic.tasks"));
  EXPECT_TRUE(script.said_goodbye);
}

TEST(WorkerProcess, ExitsWithoutACoordinator) {
  Child worker(Command("127.0.0.1:1", "primes", {"--give-up-after", "0.2"}));
  EXPECT_EQ(worker.AwaitExit(), 4);
  EXPECT_TRUE(Has(worker.ReadAll(), "no coordinator at 127.0.0.1:1"));
}

TEST(WorkerProcess, OnSigtermFinishesTheRunningTaskAndReturnsTheRest) {
  Script script(R"({"tasks": 50, "cost": {"constant": 0.1}})", {0, 50});
  Child worker(Command(script.Address(), "synthetic"));
  ASSERT_TRUE(script.AwaitTasks(1));
  worker.Signal(SIGTERM);
  EXPECT_EQ(worker.AwaitExit(), 0);
  EXPECT_TRUE(script.said_goodbye);
  EXPECT_LT(script.Reported(), 50);
  EXPECT_GE(script.Reported(), 2);  // the one that ran when the signal came
}

TEST(WorkerProcess, StopsTasksAfterTheGracePeriod) {
  Script script(R"({"tasks": 2, "cost": {"list": [0.01, 3600]}})", {0, 2});
  Child worker(Command(script.Address(), "synthetic", {"--drain-grace", "0.05"}));
  ASSERT_TRUE(script.AwaitTasks(1));
  worker.Signal(SIGTERM);
  EXPECT_EQ(worker.AwaitExit(), 0);
  EXPECT_TRUE(script.said_goodbye);
  EXPECT_EQ(script.Reported(), 1);
}

// 1,000 tasks of no time teach the worker that thousands fit into a batch; then come long ones.
std::string LongTasksAfterShortOnes(int long_tasks, const std::string& seconds) {
  std::string costs = "0";
  for (int i = 1; i < 1000; ++i) costs += ", 0";
  for (int i = 0; i < long_tasks; ++i) costs += ", " + seconds;
  return R"({"tasks": )" + std::to_string(1000 + long_tasks) + R"(, "cost": {"list": [)" + costs +
         "]}}";
}

TEST(WorkerProcess, TasksBehindALongOneCanBeRecalled) {
  Script script(LongTasksAfterShortOnes(50, "3600"), {0, 1050});
  Child worker(Command(script.Address(), "synthetic"));
  ASSERT_TRUE(script.heard.AwaitMessages(1));
  // A running task cannot be recalled; after a batch was cut, all later tasks can.
  std::int64_t recalled = 0;
  const SteadyClock clock;
  for (const Instant until = clock.Now() + kPatience; clock.Now() < until && recalled < 49;) {
    const auto before = script.heard.Messages();
    script.server->Send(before[0].first, engine::Recall{engine::RecallId{1}, 49 - recalled});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    recalled = script.GivenBack();
  }
  EXPECT_EQ(recalled, 49);
}

TEST(WorkerProcess, ATimeLimitIsChargedToTheTaskThatExceedsIt) {
  Script script(LongTasksAfterShortOnes(15, "0.1"), {0, 1015});
  script.task_timeout = std::chrono::milliseconds(500);
  Child worker(Command(script.Address(), "synthetic"));
  EXPECT_TRUE(script.AwaitTasks(1015)) << "none of them takes longer than 0.1 s";
  EXPECT_TRUE(script.Failures().empty());
}

/// Tasks 1 to 3 throw; the others return nothing.
class ThrowingRunner final : public workloads::TaskRunner {
 public:
  workloads::TaskOutcome Run(const workloads::TaskCall& call, std::stop_token, std::string&,
                             workloads::TaskFailure&) override {
    if (call.index == 1) throw std::runtime_error("matrix is singular\nat row 7");
    if (call.index == 2) throw std::bad_alloc();
    if (call.index == 3) throw 3;
    return workloads::TaskOutcome::kDone;
  }
};

class ThrowingWorkload final : public workloads::Workload {
 public:
  [[nodiscard]] std::string_view Name() const override { return "custom.throwing"; }
  [[nodiscard]] std::uint32_t Version() const override { return 1; }
  [[nodiscard]] std::int64_t TaskCount() const override { return 6; }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return std::make_shared<model::UnitCosts>(6);
  }
  [[nodiscard]] std::unique_ptr<workloads::TaskRunner> MakeRunner(
      const workloads::RunnerOptions&) const override {
    return std::make_unique<ThrowingRunner>();
  }
  [[nodiscard]] std::unique_ptr<workloads::Reducer> MakeReducer() const override { return nullptr; }
};

Result<std::shared_ptr<const workloads::Workload>> MakeThrowing(const model::FieldReader&,
                                                                const workloads::WorkloadContext&) {
  return std::make_shared<ThrowingWorkload>();
}

TEST(WorkerProcess, AnExceptionOfACustomWorkloadFailsItsTaskAndTheWorkerGoesOn) {
  Script script("{}", {0, 6});
  const workloads::Registry registry({{"throwing", 1, &MakeThrowing}});
  const SteadyClock clock;
  worker::WorkerOptions options;
  options.connection.address = script.Address();
  options.node = "pi";
  options.workload = "custom.throwing";
  auto process = worker::WorkerProcess::Make(options, registry, clock);
  ASSERT_TRUE(process) << process.error().message;
  worker::WorkerEnd end;
  std::thread runs([&] { end = (*process)->Run(); });
  EXPECT_TRUE(script.AwaitTasks(3));
  (*process)->Drain();
  runs.join();
  EXPECT_EQ(end.exit, worker::WorkerExit::kDone) << end.reason;
  EXPECT_EQ(script.Failures(),
            (std::map<model::TaskIndex, std::string>{{1, "exception: matrix is singular at row 7"},
                                                     {2, "it could not allocate memory"},
                                                     {3, "exception of an unknown type"}}));
}

TEST(WorkerProcess, ASecondSignalExitsImmediately) {
  Script script(R"({"tasks": 2, "cost": {"list": [0.01, 3600]}})", {0, 2});
  Child worker(Command(script.Address(), "synthetic"));
  ASSERT_TRUE(script.AwaitTasks(1));
  worker.Signal(SIGTERM);
  worker.Signal(SIGINT);  // two different ones: equal ones may merge into one
  const auto exit = worker.AwaitExit();
  EXPECT_TRUE(exit == 128 + SIGINT || exit == 128 + SIGTERM);
}

TEST(WorkerProcess, ReconnectsAfterABrokenStreamAndReportsAgain) {
  Script script(kNothing, {0, 100});
  script.acknowledges = false;
  Child worker(Command(script.Address(), "synthetic"));
  ASSERT_TRUE(script.AwaitTasks(100));
  const auto before = script.heard.Messages();
  script.acknowledges = true;
  script.Forget();
  script.server->Close(before[0].first);
  ASSERT_TRUE(script.AwaitTasks(100));
  const auto after = script.heard.Messages();
  std::vector<engine::Hello> hellos;
  StreamId latest;
  for (const auto& [stream, message] : after) {
    if (const auto* hello = std::get_if<engine::Hello>(&message)) hellos.push_back(*hello);
    latest = stream;
  }
  ASSERT_EQ(hellos.size(), 2U);
  EXPECT_EQ(hellos[0].incarnation, hellos[1].incarnation);
  EXPECT_EQ(hellos[1].epoch, 1U);
  model::RangeSet held;
  for (const auto& grant : hellos[1].held) held.Insert(grant.range);
  EXPECT_TRUE(held.Contains(IndexRange{0, 100}));
  script.server->Send(latest, engine::Finish{"done"});
  script.server->Close(latest);
  EXPECT_EQ(worker.AwaitExit(), 0);
}

TEST(WorkerProcess, WithoutWorkItUsesNoCpu) {
  Script script(kNothing, {0, 1000});
  Child worker(Command(script.Address(), "synthetic", {"--threads", "4"}));
  ASSERT_TRUE(script.AwaitTasks(1000));
  const auto said = script.heard.Messages();
  script.server->Send(said[0].first, engine::Recall{engine::RecallId{7}, 1});
  ASSERT_TRUE(script.heard.AwaitMessages(said.size() + 1));
  const Duration before = worker.CpuTime();
  std::this_thread::sleep_for(std::chrono::seconds(1));  // this second is measured
  EXPECT_LT(worker.CpuTime() - before, std::chrono::milliseconds(5));
}

TEST(WorkerProcess, TheTokenIsNotVisible) {
  Script script(kNothing, {});
  Child worker(Command(script.Address(), "synthetic"), "a-secret-of-two");
  ASSERT_TRUE(script.heard.AwaitMessages(1));
  const std::string process = "/proc/" + std::to_string(worker.Pid());
  EXPECT_TRUE(Has(Slurp(process + "/cmdline"), "--coordinator"));
  EXPECT_FALSE(Has(Slurp(process + "/cmdline"), "a-secret-of-two"));
  EXPECT_FALSE(Has(Slurp(process + "/environ"), "a-secret-of-two"));
  EXPECT_EQ(std::get<engine::Hello>(script.heard.Messages()[0].second).token, "a-secret-of-two");
}

TEST(WorkerProcess, EndsWithItsParentAndLeavesCtrlCToIt) {
  Script script(kNothing, {});
  std::string line = std::string("'") + EVENKEEL_WORKER + "' --coordinator " + script.Address() +
                     " --node pi --workload synthetic --local & echo $!; wait";
  Child shell({"/bin/sh", "-c", line});
  const pid_t worker = std::stoi(shell.ReadLine());
  ASSERT_TRUE(script.heard.AwaitMessages(1));
  ::kill(worker, SIGINT);
  script.server->Send(script.heard.Messages()[0].first, engine::Recall{engine::RecallId{1}, 1});
  ASSERT_TRUE(script.heard.AwaitMessages(2));
  EXPECT_FALSE(script.said_goodbye);
  shell.Signal(SIGKILL);
  EXPECT_TRUE(AwaitEnd(worker));
}

}  // namespace
}  // namespace evenkeel
