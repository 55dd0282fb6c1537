#include "coordinator/journal.h"

#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

using std::chrono::seconds;

TEST_F(JournalTest, ANewJournalIsEmpty) {
  const auto journal = MustOpen();
  EXPECT_EQ(journal->State().epoch, 1u);
  EXPECT_FALSE(journal->State().complete);
  EXPECT_TRUE(journal->State().completed.Empty());
  EXPECT_TRUE(journal->State().failures.empty());
  EXPECT_EQ(journal->State().active, Duration::zero());
}

TEST_F(JournalTest, EachStartIncrementsTheEpoch) {
  for (std::uint64_t start = 1; start <= 4; ++start) EXPECT_EQ(MustOpen()->State().epoch, start);
}

TEST_F(JournalTest, AppendedRecordsAreThereAfterReopening) {
  const model::FailureRecord failure{77, "pi-2", "exit code 3", 2, true};
  model::TimelineEvent stage;
  stage.kind = model::TimelineEvent::Kind::kStage;
  stage.end = seconds(5);
  model::TimelineEvent eta;
  eta.start = seconds(6);
  eta.end = seconds(100);
  ASSERT_TRUE(
      MustOpen()->Append({{OneTask(8), OneTask(3, "pi-2"), OneTask(4)}, {failure}, {stage, eta}}));

  const auto journal = MustOpen();
  EXPECT_EQ(journal->State().completed.Ranges(), (std::vector<model::IndexRange>{{3, 5}, {8, 9}}));
  EXPECT_EQ(journal->State().active, seconds(6)) << "the end of a prediction has not passed";
  ASSERT_EQ(journal->State().failures.size(), 1u);
  const model::FailureRecord& read = journal->State().failures.front();
  EXPECT_EQ(read.index, 77);
  EXPECT_EQ(read.node, "pi-2");
  EXPECT_EQ(read.reason, "exit code 3");
  EXPECT_EQ(read.attempt, 2);
  EXPECT_TRUE(read.final);
}

TEST_F(JournalTest, ResultsAreReadInOrderWithAllFields) {
  model::ResultRecord unequal = OneTask(10, "pi-2");
  unequal.range = {10, 13};
  unequal.kind = model::RunKind::kStolen;
  unequal.results = {};
  for (const char* result : {"", "abc", "d"}) unequal.results.Append(result);
  model::ResultRecord empty = OneTask(20);
  empty.range = {20, 25};
  empty.kind = model::RunKind::kCopy;
  empty.results = model::PackedResults::OfEqualSize(5, 0, "");
  const std::vector<model::ResultRecord> want{OneTask(1), unequal, empty};

  const auto journal = MustOpen();
  ASSERT_TRUE(journal->Append({{empty, OneTask(1)}, {}, {}}));
  ASSERT_TRUE(journal->Append({{unequal}, {}, {}}));
  std::size_t n = 0;
  const auto visited = journal->ForEachResult([&](const model::ResultRecord& read) -> Result<void> {
    const model::ResultRecord& expected = want.at(n++);
    EXPECT_EQ(read.range, expected.range);
    EXPECT_EQ(read.node, expected.node);
    EXPECT_EQ(read.started, expected.started);
    EXPECT_EQ(read.ended, expected.ended);
    EXPECT_EQ(read.busy, expected.busy);
    EXPECT_EQ(read.kind, expected.kind);
    EXPECT_EQ(read.results, expected.results);
    return {};
  });
  EXPECT_TRUE(visited);
  EXPECT_EQ(n, want.size());
  n = 0;
  const auto ranges = journal->ForEachRange([&](const model::ResultRecord& read) -> Result<void> {
    const model::ResultRecord& expected = want.at(n++);
    EXPECT_EQ(read.range, expected.range);
    EXPECT_EQ(read.node, expected.node);
    EXPECT_EQ(read.ended, expected.ended);
    EXPECT_EQ(read.kind, expected.kind);
    EXPECT_TRUE(read.results.Bytes().empty());
    return {};
  });
  EXPECT_TRUE(ranges);
  EXPECT_EQ(n, want.size());
}

TEST_F(JournalTest, EventsAreReadInTheOrderOfWriting) {
  model::TimelineEvent move;
  move.kind = model::TimelineEvent::Kind::kMove;
  move.start = seconds(2);
  move.node = "pi-1";
  move.from_node = "pi-2";
  move.tasks = 40;
  move.detail = "leased";
  model::TimelineEvent joined;
  joined.kind = model::TimelineEvent::Kind::kJoined;
  joined.start = seconds(1);
  joined.node = "pi-3";
  const auto journal = MustOpen();
  ASSERT_TRUE(journal->Append({{}, {}, {move, joined}}));
  std::vector<model::TimelineEvent> read;
  ASSERT_TRUE(journal->ForEachEvent([&read](const model::TimelineEvent& event) -> Result<void> {
    read.push_back(event);
    return {};
  }));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].kind, model::TimelineEvent::Kind::kMove);
  EXPECT_EQ(read[0].from_node, "pi-2");
  EXPECT_EQ(read[0].tasks, 40);
  EXPECT_EQ(read[0].detail, "leased");
  EXPECT_EQ(read[1].node, "pi-3");
}

TEST_F(JournalTest, AVisitorsErrorEndsTheVisit) {
  const auto journal = MustOpen();
  ASSERT_TRUE(journal->Append({{OneTask(1), OneTask(2)}, {}, {}}));
  int visits = 0;
  const auto visited = journal->ForEachResult([&visits](const model::ResultRecord&) {
    ++visits;
    return Result<void>(Fail(ErrorCode::kStorageFull, "enough"));
  });
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().message, "enough");
  EXPECT_EQ(visits, 1);
}

TEST_F(JournalTest, AVisitorMayAppend) {
  const auto journal = MustOpen();
  ASSERT_TRUE(journal->Append({{OneTask(1), OneTask(2)}, {}, {}}));
  int visits = 0;
  ASSERT_TRUE(journal->ForEachResult([&](const model::ResultRecord& read) -> Result<void> {
    ++visits;
    return read.range.begin == 1 ? journal->Append({{OneTask(0)}, {}, {}}) : Result<void>();
  }));
  EXPECT_EQ(visits, 2);
}

TEST_F(JournalTest, RemembersThatTheJobIsComplete) {
  ASSERT_TRUE(MustOpen()->MarkEnded(model::JobState::kInterrupted));
  const auto journal = MustOpen();
  EXPECT_FALSE(journal->State().complete);
  ASSERT_TRUE(journal->MarkEnded(model::JobState::kComplete));
}

TEST_F(JournalTest, CompleteIsSeenByTheNextStart) {
  ASSERT_TRUE(MustOpen()->MarkEnded(model::JobState::kComplete));
  EXPECT_TRUE(MustOpen()->State().complete);
}

TEST_F(JournalTest, AResultIsNeverJournaledTwice) {
  const auto journal = MustOpen();
  ASSERT_TRUE(journal->Append({{OneTask(1)}, {}, {}}));
  EXPECT_DEATH((void)journal->Append({{OneTask(1)}, {}, {}}), "journaled twice");
}

TEST_F(JournalTest, VisitsFinalFailuresWithTheirRecords) {
  const model::FailureRecord once{7, "pi", "exit code 75", 1, false, 75, {}};
  const model::FailureRecord last{7, "pi-2", "exit code 3", 2, true, 3, std::string("o\0ut", 4)};
  ASSERT_TRUE(MustOpen()->Append({{}, {once, last}, {}}));
  const auto journal = MustOpen();
  ASSERT_EQ(journal->State().failures.size(), 2u);
  EXPECT_EQ(journal->State().failures[0].exit_code, 75);
  EXPECT_EQ(journal->State().failures[1].record, "") << "records stay on the disk";
  std::vector<model::FailureRecord> visited;
  ASSERT_TRUE(journal->ForEachFinalFailure([&](const model::FailureRecord& each) -> Result<void> {
    visited.push_back(each);
    return {};
  }));
  ASSERT_EQ(visited.size(), 1u);
  EXPECT_EQ(visited[0].node, "pi-2");
  EXPECT_EQ(visited[0].exit_code, 3);
  EXPECT_EQ(visited[0].record, last.record);
}

TEST_F(JournalTest, LargeResultsStayInTheLogUntilTheEnd) {
  constexpr model::TaskIndex kTasks = 40;
  const auto large = [](model::TaskIndex n) {
    return std::string(300 << 10, static_cast<char>('a' + n % 26));
  };
  const auto open = [this] {
    auto journal = Journal::Open(folder_, PrimesJob(), CompleteJob::kGoesOn, ResultSizes::kLarge);
    EXPECT_TRUE(journal) << journal.error().message;
    return std::move(*journal);
  };
  {
    const auto journal = open();
    for (model::TaskIndex n = 0; n < kTasks; ++n) {
      model::ResultRecord record = OneTask(n);
      record.results = model::PackedResults::OfEqualSize(1, 300 << 10, large(n));
      ASSERT_TRUE(journal->Append({{record}, {}, {}}));
    }
    EXPECT_LT(std::filesystem::file_size(File()), 2u << 20);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "journal.db-wal"));
  for (int start = 0; start < 2; ++start) {
    const auto journal = open();
    EXPECT_EQ(journal->State().completed.Size(), kTasks);
    model::TaskIndex next = 0;
    ASSERT_TRUE(journal->ForEachResult([&](const model::ResultRecord& record) -> Result<void> {
      EXPECT_EQ(record.results.At(0), large(next++));
      return {};
    }));
    EXPECT_EQ(next, kTasks);
    ASSERT_TRUE(journal->MarkEnded(model::JobState::kComplete));
    const auto copy = journal->Copy(64 << 20);
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_GT(copy->size(), static_cast<std::size_t>(kTasks) * (300 << 10));
  }
  EXPECT_TRUE(open()->State().complete);
}

TEST_F(JournalTest, AJournalOfFormat1IsConverted) {
  const model::FailureRecord failure{77, "pi-2", "no", 1, false};
  ASSERT_TRUE(MustOpen()->Append({{OneTask(8)}, {failure}, {}}));
  Execute(File(),
          "ALTER TABLE job DROP COLUMN inputs; ALTER TABLE failures DROP COLUMN exit_code;"
          "ALTER TABLE failures DROP COLUMN record; ALTER TABLE job DROP COLUMN draw_key;"
          "DROP TABLE confirmations; DROP TABLE exclusions; PRAGMA user_version = 1");
  const auto journal = MustOpen();
  EXPECT_EQ(journal->State().completed.Size(), 1);
  ASSERT_EQ(journal->State().failures.size(), 1u);
  EXPECT_FALSE(journal->State().failures[0].exit_code);
  EXPECT_TRUE(journal->Append({{OneTask(9)}, {{3, "pi", "exit code 1", 1, true, 1, "x"}}, {}}));
}

}  // namespace
}  // namespace evenkeel::coordinator
