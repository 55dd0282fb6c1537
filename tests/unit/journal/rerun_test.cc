#include "coordinator/rerun.h"

#include "coordinator/snapshot.h"
#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

using model::JobState;
using model::RangeSet;
using model::RerunSelection;
using std::chrono::seconds;

RerunSelection Indexes(std::string_view text) { return {model::ParseIndexString(text)}; }
const RerunSelection kFailedTasks;

/// The results of the tasks from begin to end - 1, "a", "b", ..., each of which took a second.
model::ResultRecord Row(model::TaskIndex begin, model::TaskIndex end) {
  model::ResultRecord row;
  row.range = {begin, end};
  row.node = "pi-1";
  row.started = seconds(begin);
  row.ended = seconds(end);
  row.busy = row.ended - row.started;
  for (auto task = begin; task < end; ++task) {
    row.results.Append(std::string(1, static_cast<char>('a' + task)));
  }
  return row;
}

model::FailureRecord Failure(model::TaskIndex task, bool final = true) {
  return {task, "pi-2", "exit code 3", 1, final, 3, final ? "record" : ""};
}

class RerunTest : public JournalTest {
 protected:
  /// A job of ten tasks that has ended.
  void WriteJob(const JournalRecords& records, JobState end) {
    const auto journal = MustOpen(TenTasks());
    EXPECT_TRUE(journal->Append(records));
    EXPECT_TRUE(journal->MarkEnded(end));
  }
  static JobIdentity TenTasks() { return {"letters", "primes", 1, "{}", 10}; }

  std::unique_ptr<Journal> MustRerun(const RerunSelection& selection) {
    auto journal =
        Journal::Open(folder_, TenTasks(), CompleteJob::kGoesOn, ResultSizes::kSmall, selection);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }

  /// "0-2:abc 4:e" for results of tasks 0 to 2 and of 4, in two rows.
  static std::string ResultsOf(const Journal& journal) {
    std::string text;
    EXPECT_TRUE(journal.ForEachResult([&text](const model::ResultRecord& row) -> Result<void> {
      if (!text.empty()) text += ' ';
      text += ToIndexString(RangeSet(row.range), 1) + ":" + row.results.Bytes();
      return {};
    }));
    return text;
  }
};

TEST_F(RerunTest, TheReduceCommandRunsAgainWhateverComesOfTheTasks) {
  WriteJob({{Row(0, 10)}, {}}, JobState::kComplete);
  {
    const auto journal = MustOpen(TenTasks());
    ASSERT_TRUE(journal->BeginReduce("plot"));
    ASSERT_TRUE(journal->EndReduce(model::ReduceRecord{}));
  }
  const auto journal = MustRerun(Indexes("4"));
  const auto history = journal->ReadReduce("plot");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_FALSE(history->last);
}

TEST_F(RerunTest, TasksAreTakenBackAndTheOthersStay) {
  WriteJob({{Row(0, 4), Row(4, 5), Row(5, 10)}, {Failure(7, false), Failure(1, false)}},
           JobState::kComplete);
  const auto journal = MustRerun(Indexes("4,7-8"));
  EXPECT_EQ(ResultsOf(*journal), "0-3:abcd 5-6:fg 9:j");
  EXPECT_FALSE(journal->State().complete);
  EXPECT_EQ(journal->State().completed.Size(), 7);
  ASSERT_EQ(journal->State().failures.size(), 1U) << "task 7 has all of its attempts again";
  EXPECT_EQ(journal->State().failures[0].index, 1);
}

TEST_F(RerunTest, ARowIsDividedWithItsTimes) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  const auto journal = MustRerun(Indexes("0,3-4"));
  EXPECT_EQ(ResultsOf(*journal), "1-2:bc 5-9:fghij");
  ASSERT_TRUE(journal->ForEachRange([](const model::ResultRecord& row) -> Result<void> {
    EXPECT_EQ(row.started, seconds(row.range.begin));
    EXPECT_EQ(row.ended, seconds(row.range.end));
    EXPECT_EQ(row.busy, seconds(row.range.Size()));
    EXPECT_EQ(row.node, "pi-1");
    return {};
  }));
}

TEST_F(RerunTest, FailedTasksAreTakenBack) {
  WriteJob({{Row(0, 3), Row(5, 10)}, {Failure(3, false), Failure(3), Failure(4), Failure(5)}},
           JobState::kFailed);
  const auto journal = MustRerun(kFailedTasks);
  EXPECT_EQ(ResultsOf(*journal), "0-2:abc 5-9:fghij");
  ASSERT_EQ(journal->State().failures.size(), 1U) << "task 5 has a result";
  EXPECT_EQ(journal->State().failures[0].index, 5);
}

TEST_F(RerunTest, WithoutFailedTasksACompleteJobStaysComplete) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  EXPECT_TRUE(MustRerun(kFailedTasks)->State().complete);
  EXPECT_TRUE(MustRerun(Indexes("3"))->MarkEnded(JobState::kComplete)) << "no rerun is open";
}

TEST_F(RerunTest, ARerunThatWasInterruptedGoesOn) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  {
    const auto journal = MustRerun(Indexes("2-4"));
    ASSERT_TRUE(journal->Append({{Row(2, 3)}}));
    ASSERT_TRUE(journal->MarkEnded(JobState::kInterrupted));
  }
  EXPECT_EQ(ResultsOf(*MustRerun(Indexes("2-4"))), "0-1:ab 2:c 5-9:fghij");
  const auto other =
      Journal::Open(folder_, TenTasks(), CompleteJob::kGoesOn, ResultSizes::kSmall, Indexes("7"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kConflict);
  EXPECT_EQ(other.error().message, File().string() +
                                       ": a rerun of the tasks \"2-4\" has not "
                                       "ended; let that go on first");
  {
    const auto journal = MustOpen(TenTasks());  // a run without a selection goes on, too
    ASSERT_TRUE(journal->Append({{Row(3, 5)}}));
    ASSERT_TRUE(journal->MarkEnded(JobState::kComplete));
  }
  EXPECT_EQ(ResultsOf(*MustRerun(Indexes("2-4"))), "0-1:ab 5-9:fghij") << "a second rerun";
}

TEST_F(RerunTest, TheDeadlineBeginsAnewAndTheTimeLineGoesOn) {
  WriteJob({{Row(0, 10)}}, JobState::kFailed);
  EXPECT_EQ(MustOpen(TenTasks())->State().active_before_rerun, Duration::zero());
  {
    const auto journal = MustRerun(Indexes("9"));
    EXPECT_EQ(journal->State().active, seconds(10));
    EXPECT_EQ(journal->State().active_before_rerun, seconds(10));
    auto later = Row(9, 10);
    later.ended = seconds(15);
    ASSERT_TRUE(journal->Append({{later}}));
  }
  EXPECT_EQ(MustOpen(TenTasks())->State().active, seconds(15));
  EXPECT_EQ(MustOpen(TenTasks())->State().active_before_rerun, seconds(10));
}

TEST_F(RerunTest, ConfirmationsOfTasksThatRunAgainAreRemoved) {
  WriteJob({.results = {Row(0, 10)}, .confirmations = {{2, "pi-1", "pi-2"}, {6, "pi-1", "pi-2"}}},
           JobState::kComplete);
  const auto journal = MustRerun(Indexes("5-7"));
  EXPECT_EQ(journal->State().confirmed, (std::map<model::TaskIndex, std::string>{{2, "pi-2"}}));
}

TEST_F(RerunTest, AFolderWithoutAJournalIsRefused) {
  const auto journal =
      Journal::Open(folder_, TenTasks(), CompleteJob::kGoesOn, ResultSizes::kSmall, kFailedTasks);
  ASSERT_FALSE(journal);
  EXPECT_EQ(
      journal.error().message,
      folder_.string() + ": has no journal.db; only the folder of an earlier run can be rerun");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(RerunTest, AJournalOfAnEarlierVersionCanBeRerun) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  Execute(File(), "DROP TABLE reruns");
  EXPECT_EQ(ResultsOf(*MustRerun(Indexes("0-8"))), "9:j");
}

TEST_F(RerunTest, NothingIsLostIfTheProcessDiesMeanwhile) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  const std::string before = FileBytes(File());
  // A transaction that is not committed, as after a loss of power.
  InChild([this] {
    auto database = Database::Open(File());
    return database && (*database)->Execute("BEGIN IMMEDIATE; DELETE FROM results") &&
           raise(SIGKILL) == 0;
  });
  EXPECT_EQ(ResultsOf(*MustOpen(TenTasks())), "0-9:abcdefghij");
}

class EarlierJobTest : public RerunTest {
 protected:
  EarlierJobTest() : target_(folder_ / "new") {}

  static JobIdentity NewJob() {
    JobIdentity identity = TenTasks();
    identity.job = "letters-rerun-1";
    return identity;
  }
  [[nodiscard]] Result<void> Seed(const RerunSelection& selection,
                                  const JobIdentity& identity = NewJob()) const {
    return SeedFromEarlierJob(folder_, target_, identity, {"letters", selection});
  }
  std::unique_ptr<Journal> MustSeed(const RerunSelection& selection) {
    const auto seeded = Seed(selection);
    EXPECT_TRUE(seeded) << seeded.error().message;
    auto journal = Journal::Open(target_, NewJob());
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }
  void ExpectUnusable(const std::string& want, const JobIdentity& identity = NewJob()) const {
    const auto seeded = Seed(kFailedTasks, identity);
    ASSERT_FALSE(seeded);
    EXPECT_EQ(seeded.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(seeded.error().message, File().string() + want);
    EXPECT_TRUE(!std::filesystem::exists(target_) || std::filesystem::is_empty(target_));
  }

  const std::filesystem::path target_;
};

TEST_F(EarlierJobTest, ItsResultsAreTakenOver) {
  WriteJob({{Row(0, 4), Row(6, 10)}, {Failure(4), Failure(5)}}, JobState::kFailed);
  const std::string before = FileBytes(File());
  const auto journal = MustSeed(kFailedTasks);
  EXPECT_EQ(ResultsOf(*journal), "0-3:abcd 6-9:ghij");
  EXPECT_EQ(journal->State().epoch, 1U);
  EXPECT_TRUE(journal->State().failures.empty());
  EXPECT_EQ(FileBytes(File()), before) << "the earlier journal stays as it is";
  for (const auto& entry : std::filesystem::directory_iterator(target_)) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("journal.db")) << entry.path();
  }
}

TEST_F(EarlierJobTest, ItMayBeOpenAndHaveAWriteAheadLog) {
  const auto open = MustOpen(TenTasks());
  ASSERT_TRUE(open->Append({{Row(0, 9)}, {Failure(9)}}));
  ASSERT_TRUE(open->MarkEnded(JobState::kFailed));
  EXPECT_EQ(ResultsOf(*MustSeed(Indexes("0-2"))), "3-8:defghi");
}

TEST_F(EarlierJobTest, AFolderWithAJournalKeepsIt) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  MustSeed(Indexes("3"));
  std::filesystem::remove(File());
  EXPECT_EQ(ResultsOf(*MustSeed(Indexes("0-9"))), "0-2:abc 4-9:efghij");
}

TEST_F(EarlierJobTest, ARerunOfARerun) {
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  {
    const auto first = MustSeed(Indexes("3"));
    ASSERT_TRUE(first->Append({{Row(3, 4)}}));
    ASSERT_TRUE(first->MarkEnded(JobState::kComplete));
  }
  JobIdentity second = NewJob();
  second.job = "letters-rerun-2";
  const auto seeded =
      SeedFromEarlierJob(target_, folder_ / "newest", second, {"letters-rerun-1", Indexes("7-9")});
  ASSERT_TRUE(seeded) << seeded.error().message;
  const auto journal = Journal::Open(folder_ / "newest", second);
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(ResultsOf(**journal), "0-2:abc 3:d 4-6:efg");
}

TEST_F(EarlierJobTest, OtherJobsAndDamagedJournalsAreRefused) {
  ExpectUnusable(": does not exist: the job letters has left no results there");
  WriteJob({{Row(0, 10)}}, JobState::kComplete);
  JobIdentity more = NewJob();
  more.task_count = 12;
  ExpectUnusable(
      " belongs to job \"letters\" (primes version 1, 10 tasks), not to job \"letters\" (primes "
      "version 1, 12 tasks): they differ in number of tasks",
      more);
  std::filesystem::resize_file(File(), 5000);
  ExpectUnusable(": is damaged");
  std::ofstream(File()) << "something else";
  ExpectUnusable(": is damaged");
}

}  // namespace
}  // namespace evenkeel::coordinator
