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

class SimulatedJournalTest : public testing::Test, private CommitListener {
 protected:
  void Commit(std::uint64_t batch, model::TaskIndex task) {
    engine::Persist persist;
    persist.batch = engine::BatchId{batch};
    model::ResultRecord record;
    record.range = {task, task + 1};
    record.results.Append(std::to_string(task));
    persist.results.push_back(record);
    journal.Commit(std::move(persist));
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
  SimulatedJournal journal{context, tasks, *this};
  std::vector<std::string> outcomes;  // with the milliseconds

 private:
  void Note(const std::string& what) {
    const Duration now = context.time.Now() - Instant{};
    outcomes.push_back(std::to_string(now / milliseconds(1)) + " " + what);
  }
  void OnDurable(engine::BatchId batch) override { Note(std::to_string(batch.value)); }
  void OnCommitFailed(const std::string& reason) override { Note(reason); }
};

using Outcomes = std::vector<std::string>;

TEST_F(SimulatedJournalTest, ACommitTakesTheLatency) {
  Commit(1, 3);
  EXPECT_TRUE(journal.completed().Empty());
  EXPECT_EQ(RunToEnd(), (Outcomes{"2 1"}));
  EXPECT_TRUE(journal.completed().Contains(3));
  EXPECT_EQ(tasks.times_durable()[3], 1);
}

TEST_F(SimulatedJournalTest, PendingCommitsDieWithTheProcess) {
  Commit(1, 3);
  At(1, [this] {
    journal.DropPending();
    Commit(2, 4);
  });
  EXPECT_EQ(RunToEnd(), (Outcomes{"3 2"}));
  EXPECT_FALSE(journal.completed().Contains(3));
}

TEST_F(SimulatedJournalTest, ASlowCommitHoldsBackTheLaterOnes) {
  journal.SlowDown(milliseconds(500), Instant{milliseconds(10)});
  Commit(1, 3);
  At(20, [this] { Commit(2, 4); });
  At(600, [this] { Commit(3, 5); });
  EXPECT_EQ(RunToEnd(), (Outcomes{"500 1", "500 2", "602 3"}));
}

TEST_F(SimulatedJournalTest, AFailedCommitLosesAllThatFollowOfItsProcess) {
  journal.FailNextCommit();
  Commit(1, 3);
  Commit(2, 4);
  At(10, [this] { Commit(3, 5); });
  EXPECT_EQ(RunToEnd(), (Outcomes{"2 the disk failed", "12 3"}));
  EXPECT_EQ(journal.completed().Size(), 1);
  EXPECT_TRUE(journal.completed().Contains(5));
}

}  // namespace
}  // namespace evenkeel::simulator
