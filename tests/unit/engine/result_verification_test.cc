#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "core/engine/coordinator.h"
#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

using model::IndexRange;
using model::TaskIndex;

/// Short results are their own digest.
ResultDigest DigestOf(std::string_view result) {
  ResultDigest digest{};
  std::copy_n(result.begin(), std::min(result.size(), digest.size()), digest.begin());
  return digest;
}

VerificationRules DrawAll() {
  return {[](TaskIndex) { return true; }, DigestOf};
}

class ResultVerificationTest : public CoordinatorFixture {
 protected:
  /// Nodes a, b, c ... connect on the streams 1, 2, 3 ...
  void Begin(std::int64_t tasks, std::size_t nodes, VerificationRules rules = DrawAll()) {
    config.verification = std::move(rules);
    config.job.task_policy.backoff_limit_per_task = 1;
    Start(tasks, nodes);
    for (std::size_t i = 0; i < nodes; ++i) Connect(i + 1, i);
  }
  void Gives(std::uint64_t stream, TaskIndex task, const std::string& result) {
    Report report = DoneReport({task, task + 1});
    report.completed[0].results = {};
    report.completed[0].results.Append(result);
    Deliver(stream, report);
    Keep();
  }
  /// The records that the latest call sends to the journal.
  void Keep() {
    for (const Persist& batch : Wanted<Persist>()) {
      for (const auto& each : batch.confirmations) {
        confirmed.push_back(std::to_string(each.index) + ":" + each.node + each.second);
      }
      for (const auto& each : batch.exclusions) excluded.push_back(each);
    }
    for (const EndJob& each : Wanted<EndJob>()) end = each;
  }
  void Durable() {
    AllDurable();
    Keep();
  }
  /// The streams to which the latest call assigned the task.
  [[nodiscard]] std::vector<std::uint64_t> AssignedTo(TaskIndex task) const {
    std::vector<std::uint64_t> streams;
    for (std::uint64_t stream = 1; stream <= 8; ++stream) {
      for (const IndexRange range : Assigned(stream)) {
        if (range.begin <= task && task < range.end) streams.push_back(stream);
      }
    }
    return streams;
  }

  std::vector<std::string> confirmed;
  std::vector<model::ExclusionRecord> excluded;
  std::optional<EndJob> end;
};

using Streams = std::vector<std::uint64_t>;

TEST_F(ResultVerificationTest, ASecondRunOnAnotherNodeConfirmsTheResult) {
  Begin(1, 2);
  Gives(1, 0, "right");
  EXPECT_EQ(AssignedTo(0), Streams{2});
  Durable();
  EXPECT_FALSE(end) << "the result is not confirmed";
  Gives(2, 0, "right");
  EXPECT_EQ(confirmed, std::vector<std::string>{"0:ab"});
  Durable();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, model::JobState::kComplete);
  EXPECT_EQ(coordinator().CurrentProgress(now).wasted_seconds, 0);
}

TEST_F(ResultVerificationTest, TasksThatAreNotDrawnRunOnce) {
  Begin(2, 2, {[](TaskIndex index) { return index == 1; }, DigestOf});
  Gives(1, 0, "right");
  EXPECT_EQ(AssignedTo(0), Streams{});
  Durable();
  Gives(2, 1, "right");
  EXPECT_EQ(AssignedTo(1), Streams{1});
}

TEST_F(ResultVerificationTest, AThirdNodeDecidesAgainstTheFirst) {
  Begin(1, 3);
  Gives(1, 0, "wrong");
  ASSERT_EQ(AssignedTo(0), Streams{2});
  Durable();
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 1);
  Gives(2, 0, "right");
  ASSERT_EQ(AssignedTo(0), Streams{3});
  Gives(3, 0, "right");
  ASSERT_EQ(excluded.size(), 1U);
  EXPECT_EQ(excluded[0].node, "a");
  EXPECT_EQ(excluded[0].index, 0);
  EXPECT_EQ(excluded[0].revoked, 1);
  EXPECT_EQ(excluded[0].reason,
            "its result of task 0 is wrong: the nodes b and c agree on another one");
  EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 0);
  EXPECT_EQ(AssignedTo(0).size(), 1U) << "it is done again";

  Connect(9, 0);
  const auto refusals = Sent<Refusal>(9);
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_EQ(refusals[0].reason, "node a is left out of this job: " + excluded[0].reason);
}

TEST_F(ResultVerificationTest, AThirdNodeDecidesAgainstTheSecond) {
  Begin(1, 3);
  Gives(1, 0, "right");
  Gives(2, 0, "wrong");
  ASSERT_EQ(AssignedTo(0), Streams{3});
  Gives(3, 0, "right");
  ASSERT_EQ(excluded.size(), 1U);
  EXPECT_EQ(excluded[0].node, "b");
  EXPECT_EQ(excluded[0].revoked, 0);
  EXPECT_EQ(confirmed, std::vector<std::string>{"0:ac"});
  Durable();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, model::JobState::kComplete);
}

TEST_F(ResultVerificationTest, WithTwoNodesTheJobFailsAndNamesBoth) {
  Begin(1, 2);
  Gives(1, 0, "one");
  Gives(2, 0, "other");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->state, model::JobState::kFailed);
  EXPECT_EQ(end->cause, model::EndCause::kResultsDiffer);
  EXPECT_EQ(end->reason,
            "task 0 gave different results on the nodes a and b, and there is no third node that "
            "could decide");
}

TEST_F(ResultVerificationTest, ThreeDifferentResultsFailTheJob) {
  Begin(1, 3);
  Gives(1, 0, "one");
  Gives(2, 0, "other");
  Gives(3, 0, "third");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason,
            "task 0 gave three different results on the nodes a, b and c: spec.taskPolicy.verify "
            "needs tasks whose output is always the same");
}

TEST_F(ResultVerificationTest, AThirdNodeThatIsAwayIsWaitedForUntilItsLeaseIsOver) {
  Begin(1, 3);
  Note(coordinator().OnStreamClosed(StreamId{3}, now));
  Gives(1, 0, "one");
  Gives(2, 0, "other");
  EXPECT_FALSE(end);
  for (int second = 0; second < 11; ++second) {
    Deliver(1, Report{});
    Deliver(2, Report{});
    Wait(std::chrono::seconds(1));
    Keep();
  }
  ASSERT_TRUE(end);
  EXPECT_EQ(end->cause, model::EndCause::kResultsDiffer);
}

TEST_F(ResultVerificationTest, ACheckMovesOnWhenItsWorkerIsLostOrGivesItBack) {
  Begin(1, 4);
  Gives(1, 0, "right");
  ASSERT_EQ(AssignedTo(0), Streams{2});
  const GrantId grant = GrantOf(0);
  Deliver(2, GiveBack{{}, {{grant, {0, 1}}}});
  ASSERT_EQ(AssignedTo(0), Streams{2}) << "it has room";
  Deliver(2, Goodbye{});
  ASSERT_EQ(AssignedTo(0), Streams{3});
  Fails(3, 0);
  ASSERT_EQ(AssignedTo(0), Streams{4}) << "it has not failed the task";
  Gives(4, 0, "right");
  EXPECT_EQ(confirmed, std::vector<std::string>{"0:ad"});
}

TEST_F(ResultVerificationTest, AResultThatNobodyCanRepeatFailsTheJob) {
  Begin(1, 3);
  Gives(1, 0, "right");
  Fails(2, 0);
  Fails(3, 0);
  Keep();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason,
            "task 0 has a result of node a that has to be verified, and its run failed on c: no");
}

TEST_F(ResultVerificationTest, AReconnectKeepsTheCheckThatTheWorkerHolds) {
  Begin(1, 2);
  Gives(1, 0, "right");
  ASSERT_EQ(AssignedTo(0), Streams{2});
  const GrantId grant = GrantOf(0);
  Note(coordinator().OnStreamClosed(StreamId{2}, now));
  Hello again = HelloOf(1);
  again.epoch = 1;
  again.held = {{grant, {0, 1}}};
  Deliver(7, again);
  EXPECT_TRUE(Sent<Cancel>(7).empty());
  EXPECT_EQ(AssignedTo(0), Streams{});
  Gives(7, 0, "right");
  EXPECT_EQ(confirmed.size(), 1U);
}

TEST_F(ResultVerificationTest, TheSuccessRuleWaitsForTheChecks) {
  config.job.task_policy.success.succeeded_count = 1;
  Begin(5, 3);
  Gives(1, 0, "right");
  Durable();
  EXPECT_FALSE(end);
  Gives(2, 0, "right");
  Durable();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->cause, model::EndCause::kSuccessRuleMet);
}

TEST_F(ResultVerificationTest, ALaterStartChecksWhatWasNotConfirmedAndRefusesTheExcluded) {
  config.completed.Insert({0, 3});
  config.verified.results["a"].Insert({0, 1});
  config.verified.results["b"].Insert({1, 3});
  config.verified.drawn = {{0, "a", DigestOf("r0"), "b"}, {1, "b", DigestOf("r1"), ""}};
  config.verified.exclusions = {{"c", 9, "its result of task 9 is wrong", 4}};
  Begin(3, 3);
  EXPECT_FALSE(end);
  EXPECT_EQ(coordinator().CurrentProgress(now).nodes.size(), 2U);
  Gives(1, 1, "r1");
  EXPECT_EQ(confirmed, std::vector<std::string>{"1:ba"});
  Durable();
  EXPECT_TRUE(end);
}

// ---- One of eight nodes lies ----

/// The journal, as far as the coordinator depends on it.
struct Records {
  std::map<TaskIndex, std::pair<std::string, std::string>> results;  // node, result
  std::map<TaskIndex, std::pair<std::string, std::string>> confirmed;
  std::vector<model::ExclusionRecord> exclusions;

  void Write(const Persist& batch) {
    for (const auto& exclusion : batch.exclusions) {
      std::erase_if(results, [&](const auto& row) { return row.second.first == exclusion.node; });
      std::erase_if(confirmed, [&](const auto& row) {
        return row.second.first == exclusion.node || row.second.second == exclusion.node;
      });
      exclusions.push_back(exclusion);
    }
    for (const auto& record : batch.results) {
      for (TaskIndex i = record.range.begin; i < record.range.end; ++i) {
        const std::string result(record.results.At(i - record.range.begin));
        EXPECT_TRUE(results.emplace(i, std::pair(record.node, result)).second)
            << "a second result of task " << i;
      }
    }
    for (const auto& each : batch.confirmations) confirmed[each.index] = {each.node, each.second};
  }
};

/// Eight workers, the last of which gives wrong results now and then; with lost connections, dead
/// workers and restarts of the coordinator, all drawn.
class LyingCluster {
 public:
  static constexpr std::uint32_t kNodes = 8;
  static constexpr std::int64_t kTasks = 120;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr int kStepsPerCheck = 16;  ///< with a sanitizer a check takes long
#else
  static constexpr int kStepsPerCheck = 1;
#endif

  LyingCluster(std::uint64_t seed, double share, double lies)
      : rng_(seed), seed_(seed), share_(share), lies_(lies), workers_(kNodes) {
    StartCoordinator();
  }

  /// Runs the job; false if it does not end.
  bool Run() {
    for (int step = 0; step < 200'000 && !end_; ++step) {
      now_ += std::chrono::milliseconds(5);
      Step();
      if (!end_ && step % kStepsPerCheck == 0) coordinator_->CheckInvariants();
    }
    return end_.has_value();
  }

  [[nodiscard]] const Records& records() const { return journal_; }
  [[nodiscard]] const EndJob& end() const { return *end_; }
  static std::string Truth(TaskIndex index) { return "r" + std::to_string(index); }
  static std::string NameOf(std::uint32_t node) { return "pi" + std::to_string(node); }

 private:
  struct SimulatedWorker {
    std::optional<StreamId> stream;
    std::map<TaskIndex, Grant> held;
    std::map<TaskIndex, std::string> unacknowledged;
    int process = 1;
    std::uint64_t epoch = 0;
    bool refused = false;
    std::vector<Recall> recalls;
  };

  void StartCoordinator() {
    CoordinatorConfig config;
    config.costs = std::make_shared<model::UnitCosts>(kTasks);
    config.job.workload = "w";
    config.job.balancing.lease = std::chrono::seconds(10);
    config.job.task_policy.backoff_limit_per_task = 20;
    config.epoch = ++epoch_;
    for (std::uint32_t i = 0; i < kNodes; ++i) config.nodes.push_back({NameOf(i), 1.0});
    config.verification = VerificationRules{
        [this](TaskIndex index) {
          return static_cast<double>(Mix(seed_ * 1000 + static_cast<std::uint64_t>(index)) % 1000) <
                 share_ * 1000;
        },
        DigestOf};
    for (const auto& [index, row] : journal_.results) {
      config.completed.Insert({index, index + 1});
      config.verified.results[row.first].Insert({index, index + 1});
      if (!config.verification->draws(index)) continue;
      const auto confirmed = journal_.confirmed.find(index);
      config.verified.drawn.push_back(
          {index, row.first, DigestOf(row.second),
           confirmed == journal_.confirmed.end() ? "" : confirmed->second.second});
    }
    config.verified.exclusions = journal_.exclusions;
    pending_.clear();
    coordinator_ = std::make_unique<Coordinator>(std::move(config));
    for (SimulatedWorker& worker : workers_) worker.stream.reset();
    Execute(coordinator_->Start(now_));
  }

  static std::uint64_t Mix(std::uint64_t value) { return Rng(value).Next(); }

  void Step() {
    const auto node = static_cast<std::uint32_t>(rng_.Below(kNodes));
    SimulatedWorker& worker = workers_[node];
    const std::uint64_t what = rng_.Below(1000);
    if (what < 3) {
      StartCoordinator();
    } else if (what < 15) {
      Disconnect(worker);
      if (rng_.Chance(0.5)) {  // the process died
        ++worker.process;
        worker.epoch = 0;
        worker.held.clear();
        worker.unacknowledged.clear();
      }
    } else if (what < 300) {
      Commit();
    } else if (!worker.stream && !worker.refused) {
      Connect(node, worker);
    } else if (worker.stream) {
      RunOne(node, worker);
    }
    if (!end_) Execute(coordinator_->OnTimer(now_));
  }

  void Connect(std::uint32_t node, SimulatedWorker& worker) {
    worker.stream = StreamId{++streams_};
    by_stream_[*worker.stream] = node;
    Hello hello;
    hello.node = NameOf(node);
    hello.incarnation = hello.node + "/" + std::to_string(worker.process);
    hello.workload = "w";
    hello.epoch = worker.epoch;
    hello.boot_id = "boot";
    for (const auto& [index, grant] : worker.held)
      hello.held.push_back({grant.id, {index, index + 1}});
    for (const auto& [index, result] : worker.unacknowledged) {
      hello.held.push_back({{}, {index, index + 1}});
    }
    Deliver(worker, hello);
    if (!worker.stream) return;
    const auto again = worker.unacknowledged;
    for (const auto& [index, result] : again) SendResult(worker, index, result);
  }

  void Disconnect(SimulatedWorker& worker) {
    if (!worker.stream) return;
    const StreamId stream = *std::exchange(worker.stream, std::nullopt);
    worker.recalls.clear();
    Execute(coordinator_->OnStreamClosed(stream, now_));
  }

  void RunOne(std::uint32_t node, SimulatedWorker& worker) {
    if (!worker.recalls.empty()) return Answer(worker);
    if (worker.held.empty()) return Deliver(worker, Report{});
    const auto task = worker.held.begin();
    const TaskIndex index = task->first;
    if (rng_.Chance(0.02)) {
      Report report;
      report.failed.push_back({index, "flaky", std::chrono::milliseconds(1), task->second.id});
      worker.held.erase(task);
      return Deliver(worker, report);
    }
    worker.held.erase(task);
    const bool lies = node == kNodes - 1 && rng_.Chance(lies_);
    worker.unacknowledged[index] = lies ? "lie" + std::to_string(index) : Truth(index);
    SendResult(worker, index, worker.unacknowledged[index]);
  }

  void Answer(SimulatedWorker& worker) {
    const Recall recall = worker.recalls.back();
    worker.recalls.pop_back();
    GiveBack given{recall.id, {}};
    for (auto it = worker.held.begin(); it != worker.held.end(); ++it) {
      if (it->second.copy || (it->second.attempt > 0 && !recall.failed_before)) continue;
      given.parts.push_back({it->second.id, {it->first, it->first + 1}});
      worker.held.erase(it);
      break;
    }
    Deliver(worker, given);
  }

  void SendResult(SimulatedWorker& worker, TaskIndex index, const std::string& result) {
    if (!worker.stream) return;
    CompletedRange done;
    done.range = {index, index + 1};
    done.busy = std::chrono::milliseconds(5);
    done.results.Append(result);
    Deliver(worker, Report{{done}, {}});
  }

  void Commit() {
    while (!pending_.empty()) {
      const Persist batch = std::move(pending_.front());
      pending_.erase(pending_.begin());
      journal_.Write(batch);
      if (!end_) Execute(coordinator_->OnDurable(batch.batch, now_));
      if (rng_.Chance(0.5)) return;
    }
  }

  void Deliver(SimulatedWorker& worker, ToCoordinator message) {
    if (!end_) Execute(coordinator_->OnMessage(*worker.stream, std::move(message), now_));
  }

  void Execute(Effects effects) {
    for (Effect& effect : effects) {
      if (auto* send = std::get_if<SendToWorker>(&effect)) {
        Receive(send->stream, send->message);
      } else if (const auto* close = std::get_if<CloseStream>(&effect)) {
        SimulatedWorker& worker = workers_[by_stream_.at(close->stream)];
        if (worker.stream == close->stream) worker.stream.reset();
      } else if (auto* persist = std::get_if<Persist>(&effect)) {
        pending_.push_back(std::move(*persist));
      } else if (const auto* end = std::get_if<EndJob>(&effect)) {
        end_ = *end;
        for (const Persist& batch : std::exchange(pending_, {})) journal_.Write(batch);
      }
    }
  }

  void Receive(StreamId stream, const ToWorker& message) {
    SimulatedWorker& worker = workers_[by_stream_.at(stream)];
    if (worker.stream != stream) return;
    if (const auto* welcome = std::get_if<Welcome>(&message)) {
      if (worker.epoch != 0 && worker.epoch != welcome->epoch) worker.held.clear();
      worker.epoch = welcome->epoch;
    } else if (const auto* assign = std::get_if<Assign>(&message)) {
      for (const Grant& grant : assign->grants) {
        for (TaskIndex i = grant.range.begin; i < grant.range.end; ++i) worker.held[i] = grant;
      }
    } else if (const auto* cancel = std::get_if<Cancel>(&message)) {
      for (const IndexRange range : cancel->ranges) {
        std::erase_if(worker.held, [&](const auto& held) {
          return range.begin <= held.first && held.first < range.end &&
                 !IsLater(held.second.id, cancel->last);
        });
      }
    } else if (const auto* acknowledged = std::get_if<Acknowledge>(&message)) {
      for (const IndexRange range : acknowledged->ranges) worker.unacknowledged.erase(range.begin);
    } else if (const auto* recall = std::get_if<Recall>(&message)) {
      worker.recalls.push_back(*recall);
    } else if (std::holds_alternative<Refusal>(message)) {
      worker.refused = true;
    }
  }

  Rng rng_;
  std::uint64_t seed_;
  double share_;
  double lies_;
  Instant now_{std::chrono::seconds(100)};
  std::vector<SimulatedWorker> workers_;
  std::map<StreamId, std::uint32_t> by_stream_;
  std::uint64_t streams_ = 0;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<Coordinator> coordinator_;
  std::vector<Persist> pending_;
  Records journal_;
  std::optional<EndJob> end_;
};

/// Every result that counts is right if the liar was found, and no other node is ever left out.
void CheckOutcome(const LyingCluster& cluster) {
  ASSERT_EQ(cluster.end().state, model::JobState::kComplete) << cluster.end().reason;
  const Records& records = cluster.records();
  const std::string liar = LyingCluster::NameOf(LyingCluster::kNodes - 1);
  for (const auto& exclusion : records.exclusions) EXPECT_EQ(exclusion.node, liar);
  EXPECT_LE(records.exclusions.size(), 1U);
  const bool found = !records.exclusions.empty();
  ASSERT_EQ(records.results.size(), static_cast<std::size_t>(LyingCluster::kTasks));
  for (const auto& [index, row] : records.results) {
    EXPECT_FALSE(found && row.first == liar) << "task " << index;
    if (found || row.first != liar) {
      EXPECT_EQ(row.second, LyingCluster::Truth(index)) << "task " << index;
    }
  }
}

TEST(LyingNodes, AreFoundIfEachTaskIsVerified) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LyingCluster cluster(seed, 1.0, 0.2);
    ASSERT_TRUE(cluster.Run());
    CheckOutcome(cluster);
    found += cluster.records().exclusions.empty() ? 0 : 1;
    for (const auto& [index, row] : cluster.records().results) {
      EXPECT_EQ(row.second, LyingCluster::Truth(index)) << "task " << index;
      EXPECT_TRUE(cluster.records().confirmed.contains(index)) << "task " << index;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(found, 140);
}

TEST(LyingNodes, AreMostlyFoundIfATenthIsVerified) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LyingCluster cluster(seed, 0.1, 1.0);
    ASSERT_TRUE(cluster.Run());
    CheckOutcome(cluster);
    found += cluster.records().exclusions.empty() ? 0 : 1;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(found, 100);
}

TEST(LyingNodes, HonestNodesAreNeverLeftOut) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LyingCluster cluster(seed, 0.5, 0.0);
    ASSERT_TRUE(cluster.Run());
    EXPECT_TRUE(cluster.records().exclusions.empty());
    CheckOutcome(cluster);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace evenkeel::engine
