#include "simulator/simulated_journal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evenkeel::simulator {
namespace {

using std::chrono::milliseconds;

SimulationConfig TenTasks() {
  SimulationConfig config;
  config.true_costs.assign(10, 1.0);
  config.commit_latency = milliseconds(2);
  return config;
}

class SimulatedJournalTest : public testing::Test, private EventTarget {
 protected:
  void Commit(std::uint64_t batch, model::TaskIndex task) {
    engine::Persist persist;
    persist.batch = engine::BatchId{batch};
    model::ResultRecord record;
    record.range = {task, task + 1};
    record.results.Append(std::to_string(task));
    persist.results.push_back(record);
    writer.Append(std::move(persist));
    Begin();
  }
  void At(int millisecond, VirtualTime::Action action) {
    context.time.At(Instant{milliseconds(millisecond)}, std::move(action));
  }
  std::vector<std::string> RunToEnd() {
    context.time.Run(Instant{std::chrono::hours(1)});
    return outcomes;
  }

  SimulationContext context{TenTasks()};
  SimulatedTasks tasks{context.config};
  SimulatedJournal journal{context, tasks};
  coordinator::LoopInbox inbox;
  SimulatedJournalWriter writer{context, journal, inbox};
  std::vector<std::string> outcomes;  // with the milliseconds

 private:
  void Begin() {
    const auto ends = writer.Begin();
    if (!ends) return;
    Event event;
    event.target = this;
    context.time.At(*ends, event);
  }
  void OnEvent(const Event&) override {
    writer.End();
    while (const auto posted = inbox.Take()) {
      if (const auto* batch = std::get_if<coordinator::BatchCommitted>(&*posted)) {
        Note(std::to_string(batch->batch.value));
      } else if (const auto* failed = std::get_if<coordinator::JournalFailed>(&*posted)) {
        Note(failed->error.message);
      }
    }
    Begin();
  }
  void Note(const std::string& what) {
    const Duration now = context.time.Now() - Instant{};
    outcomes.push_back(std::to_string(now / milliseconds(1)) + " " + what);
  }
};

using Outcomes = std::vector<std::string>;

TEST_F(SimulatedJournalTest, ACommitTakesTheLatency) {
  Commit(1, 3);
  EXPECT_TRUE(journal.completed().Empty());
  EXPECT_EQ(RunToEnd(), (Outcomes{"2 1"}));
  EXPECT_TRUE(journal.completed().Contains(3));
  EXPECT_EQ(tasks.times_durable()[3], 1);
}

TEST_F(SimulatedJournalTest, WhatComesDuringACommitIsCommittedTogether) {
  Commit(1, 3);
  At(1, [this] {
    Commit(2, 4);
    Commit(3, 5);
    EXPECT_GT(writer.PendingBytes(), 0u);
  });
  EXPECT_EQ(RunToEnd(), (Outcomes{"2 1", "4 3"}));
  EXPECT_EQ(journal.completed().Size(), 3);
  EXPECT_EQ(writer.PendingBytes(), 0u);
}

TEST_F(SimulatedJournalTest, ASlowCommitHoldsBackTheLaterOnes) {
  journal.SlowDown(milliseconds(500), Instant{milliseconds(10)});
  Commit(1, 3);
  At(20, [this] { Commit(2, 4); });
  At(600, [this] { Commit(3, 5); });
  EXPECT_EQ(RunToEnd(), (Outcomes{"500 1", "502 2", "602 3"}));
}

TEST_F(SimulatedJournalTest, AFailedCommitLosesAllThatFollowOfItsProcess) {
  journal.FailNextCommit();
  Commit(1, 3);
  Commit(2, 4);
  At(10, [this] { Commit(3, 5); });
  EXPECT_EQ(RunToEnd(), (Outcomes{"2 the disk failed"}));
  writer.Flush();
  EXPECT_TRUE(journal.completed().Empty());
}

TEST_F(SimulatedJournalTest, AProcessThatEndsCommitsWhatIsLeft) {
  Commit(1, 3);
  Commit(2, 4);
  writer.Flush();
  EXPECT_EQ(journal.completed().Size(), 2);
}

}  // namespace
}  // namespace evenkeel::simulator
