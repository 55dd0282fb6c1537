// Runs of the reduce command in the journal.
#include <gtest/gtest.h>

#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

constexpr const char* kCommand = R"(["plot","{results}"])";

model::ReduceRecord Succeeded() {
  model::ReduceRecord record;
  record.exit_code = 0;
  record.seconds = 0.25;
  record.output = std::string("a\0b", 3);
  record.error = "\xff";
  record.error_cut = true;
  return record;
}

model::ReduceRecord Failed(std::int32_t attempts) {
  model::ReduceRecord record;
  record.attempts = attempts;
  record.failure = "ended by signal 9";
  return record;
}

class ReduceJournal : public JournalTest {
 protected:
  ReduceHistory Read(const Journal& journal, const std::string& command = kCommand) {
    const auto history = journal.ReadReduce(command);
    EXPECT_TRUE(history) << history.error().message;
    return history.value_or(ReduceHistory{});
  }
  void Run(Journal& journal, const std::optional<model::ReduceRecord>& record) {
    ASSERT_TRUE(journal.BeginReduce(kCommand));
    ASSERT_TRUE(journal.EndReduce(record));
  }
};

TEST_F(ReduceJournal, ASuccessIsThereAfterARestart) {
  {
    const auto journal = MustOpen();
    EXPECT_FALSE(Read(*journal).last);
    Run(*journal, Failed(1));
    Run(*journal, Succeeded());
  }
  const ReduceHistory history = Read(*MustOpen());
  EXPECT_TRUE(history.Succeeded());
  EXPECT_EQ(history.failed, 1);
  EXPECT_EQ(history.lost, 0);
  EXPECT_EQ(history.last->exit_code, 0);
  EXPECT_EQ(history.last->seconds, 0.25);
  EXPECT_EQ(history.last->output, std::string("a\0b", 3));
  EXPECT_EQ(history.last->error, "\xff");
  EXPECT_TRUE(history.last->error_cut);
  EXPECT_FALSE(history.last->output_cut);
}

TEST_F(ReduceJournal, ARunWithoutAnEndIsLost) {
  { ASSERT_TRUE(MustOpen()->BeginReduce(kCommand)); }
  const auto journal = MustOpen();
  EXPECT_EQ(Read(*journal).lost, 1);
  Run(*journal, Failed(1));
  const ReduceHistory history = Read(*journal);
  EXPECT_EQ(history.lost, 1);
  EXPECT_EQ(history.failed, 1);
  EXPECT_EQ(history.last->failure, "ended by signal 9");
  EXPECT_EQ(history.last->exit_code, std::nullopt);
}

TEST_F(ReduceJournal, AnInterruptedRunDoesNotCount) {
  const auto journal = MustOpen();
  Run(*journal, Failed(1));
  Run(*journal, std::nullopt);
  EXPECT_EQ(Read(*journal).failed, 1);
  EXPECT_EQ(Read(*journal).lost, 0);
}

TEST_F(ReduceJournal, RunsOfAnotherCommandDoNotCount) {
  const auto journal = MustOpen();
  Run(*journal, Succeeded());
  EXPECT_FALSE(Read(*journal, "[\"other\"]").last);
  EXPECT_TRUE(Read(*journal).Succeeded());
}

TEST_F(ReduceJournal, RunsOnOtherResultsDoNotCount) {
  const auto journal = MustOpen();
  JournalRecords first;
  first.results = {OneTask(0)};
  ASSERT_TRUE(journal->Append(first));
  Run(*journal, Succeeded());
  EXPECT_TRUE(Read(*journal).Succeeded());
  JournalRecords more;
  more.results = {OneTask(7)};  // ends later
  ASSERT_TRUE(journal->Append(more));
  EXPECT_FALSE(Read(*journal).last);
  Run(*journal, Failed(1));
  EXPECT_EQ(Read(*journal).failed, 1);
}

TEST_F(ReduceJournal, AppendedTasksMakeOtherResults) {
  JobIdentity job = PrimesJob();
  job.continues = [](const JobIdentity&) { return true; };
  { Run(*MustOpen(job), Succeeded()); }
  job.task_count += 1;
  EXPECT_FALSE(Read(*MustOpen(job)).last);
}

TEST_F(ReduceJournal, FailuresMayBeForgotten) {
  const auto journal = MustOpen();
  ASSERT_TRUE(journal->ForgetFailedReduce());  // there are none yet
  Run(*journal, Failed(1));
  Run(*journal, Failed(2));
  ASSERT_TRUE(journal->ForgetFailedReduce());
  EXPECT_EQ(Read(*journal).failed, 0);
  Run(*journal, Succeeded());
  ASSERT_TRUE(journal->ForgetFailedReduce());
  EXPECT_TRUE(Read(*journal).Succeeded());
}

}  // namespace
}  // namespace evenkeel::coordinator
