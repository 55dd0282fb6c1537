#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

/// A job of `tasks` tasks to which more may be appended.
JobIdentity Growing(std::int64_t tasks) {
  JobIdentity identity{"thumbs", "command", 1, "{\"tasks\":" + std::to_string(tasks) + "}", tasks};
  identity.continues = [tasks](const JobIdentity& earlier) {
    return earlier.job == "thumbs" && earlier.task_count <= tasks;
  };
  return identity;
}

TEST_F(JournalTest, RecordsTasksAppendedBetweenStarts) {
  ASSERT_TRUE(MustOpen(Growing(2))->Append({{OneTask(1)}, {}, {}}));
  const auto journal = MustOpen(Growing(5));
  EXPECT_EQ(journal->State().completed.Size(), 1);
  EXPECT_EQ(journal->State().epoch, 2u);
  ASSERT_TRUE(journal->Append({{OneTask(4)}, {}, {}}));
}

TEST_F(JournalTest, TasksAppendedDuringARunSurviveACrash) {
  ASSERT_NE(InChild([this] {
              const auto journal = Journal::Open(folder_, Growing(2));
              if (!(*journal)->Grow(Growing(4)) || !(*journal)->Append({{OneTask(3)}, {}, {}})) {
                return false;
              }
              std::abort();
            }),
            0);
  ExpectRefused(Growing(2), ErrorCode::kConflict, "(command version 1, 4 tasks)");
  EXPECT_TRUE(MustOpen(Growing(4))->State().completed.Contains(3));
}

TEST_F(JournalTest, FewerTasksAreRefusedInOneLine) {
  ASSERT_TRUE(MustOpen(Growing(5)));
  ExpectRefused(Growing(4), ErrorCode::kConflict,
                "differ in number of tasks, parameters {\"tasks\":5} against {\"tasks\":4}; tasks "
                "may only be appended at the end, else use another folder");
  const auto journal = MustOpen(Growing(5));
  const auto shrunk = journal->Grow(Growing(4));
  ASSERT_FALSE(shrunk);
  EXPECT_EQ(shrunk.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(journal->Grow(Growing(5))) << "the same job is no change";
}

TEST_F(JournalTest, AppendedTasksMakeACompleteJobIncomplete) {
  ASSERT_TRUE(MustOpen(Growing(2))->MarkEnded(model::JobState::kComplete));
  EXPECT_TRUE(MustOpen(Growing(2))->State().complete);
  EXPECT_FALSE(MustOpen(Growing(3))->State().complete);
}

TEST_F(JournalTest, ACompleteJobStaysCompleteOnRequest) {
  ASSERT_TRUE(MustOpen(Growing(2))->MarkEnded(model::JobState::kComplete));
  {
    const auto journal = Journal::Open(folder_, Growing(3), CompleteJob::kStays);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_TRUE((*journal)->State().complete);
  }
  EXPECT_TRUE(MustOpen(Growing(2))->State().complete) << "nothing was recorded";
}

}  // namespace
}  // namespace evenkeel::coordinator
