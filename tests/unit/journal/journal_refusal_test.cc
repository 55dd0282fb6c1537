#include "coordinator/journal.h"
#include "coordinator/lock_probe.h"
#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

TEST_F(JournalTest, RefusesASecondProcessAtOnce) {
  const auto held = MustOpen();
  ASSERT_TRUE(held->Append({{OneTask(1)}, {}, {}}));
  EXPECT_EQ(InChild([this] {
              const auto second = Journal::Open(folder_, PrimesJob());
              return !second && second.error().code == ErrorCode::kInUse &&
                     second.error().message.find("in use by another process") != std::string::npos;
            }),
            0);
  ExpectRefused(PrimesJob(), ErrorCode::kInUse, "in use by another process");
  EXPECT_TRUE(held->Append({{OneTask(2)}, {}, {}})) << "the first one is not affected";
}

TEST_F(JournalTest, RefusesASecondProcessOnANewJournalToo) {
  const auto held = MustOpen();
  ExpectRefused(PrimesJob(), ErrorCode::kInUse, "in use by another process");
}

TEST_F(JournalTest, AnotherJobsJournalIsRefusedAndUnchanged) {
  ASSERT_TRUE(MustOpen()->Append({{OneTask(1)}, {}, {}}));
  const std::string before = FileBytes(File());
  JobIdentity other = PrimesJob();
  other.job = "sums";
  other.parameters = R"({"end":2000})";
  ExpectRefused(other, ErrorCode::kConflict, "job \"primes\"");
  ExpectRefused(other, ErrorCode::kConflict, "job \"sums\"");
  ExpectRefused(other, ErrorCode::kConflict,
                R"(differ in name, parameters {"end":1000} against {"end":2000})");
  other = PrimesJob();
  other.workload_version = 2;
  ExpectRefused(other, ErrorCode::kConflict, "differ in workload version");
  other = PrimesJob();
  other.inputs = "fnv1a:1";
  ExpectRefused(other, ErrorCode::kConflict,
                "differ in inputs of the tasks (a file of them has changed); use another folder");
  EXPECT_EQ(FileBytes(File()), before);
  EXPECT_EQ(MustOpen()->State().epoch, 2u) << "refusals do not count as starts";
}

TEST_F(JournalTest, FailuresOfTasksThatDoNotExistAreDamage) {
  model::FailureRecord failure;
  failure.index = PrimesJob().task_count;
  failure.node = "pi-1";
  ASSERT_TRUE(MustOpen()->Append({{}, {failure}, {}}));
  ExpectRefused(PrimesJob(), ErrorCode::kInternal,
                "journal.db is damaged: failed task 1000000 is not of this job");
}

TEST_F(JournalTest, TimesThatCannotBeAreDamage) {
  model::ResultRecord late = OneTask(1);
  late.ended = Duration::max();
  ASSERT_TRUE(MustOpen()->Append({{late}, {}, {}}));
  ExpectRefused(PrimesJob(), ErrorCode::kInternal,
                "journal.db is damaged: a time after more than 100 years");
}

TEST_F(JournalTest, ARefusalAfterACrashDoesNotChangeTheLog) {
  ASSERT_NE(InChild([this] {
              const auto journal = Journal::Open(folder_, PrimesJob());
              if (!(*journal)->Append({{OneTask(1)}, {}, {}})) return false;
              raise(SIGKILL);
              return false;
            }),
            0);
  const std::filesystem::path log = folder_ / "journal.db-wal";
  const std::string file_before = FileBytes(File());
  const std::string log_before = FileBytes(log);
  ASSERT_FALSE(log_before.empty());
  JobIdentity other = PrimesJob();
  other.task_count = 5;
  ExpectRefused(other, ErrorCode::kConflict, "number of tasks");
  EXPECT_EQ(FileBytes(File()), file_before);
  EXPECT_EQ(FileBytes(log), log_before);
}

TEST_F(JournalTest, ANewerFormatIsRefused) {
  MustOpen();
  Execute(File(), "PRAGMA user_version = 4");
  ExpectRefused(PrimesJob(), ErrorCode::kConflict,
                "format 4 is newer than this program understands (3); use");
}

TEST_F(JournalTest, AnotherProgramsDatabaseIsRefused) {
  Execute(File(), "CREATE TABLE accounts(id INTEGER)");
  const std::string before = FileBytes(File());
  ExpectRefused(PrimesJob(), ErrorCode::kConflict, "is not a journal");
  EXPECT_EQ(FileBytes(File()), before);
}

TEST_F(JournalTest, AFileOfAnotherFormatIsRefused) {
  std::ofstream(File()) << std::string(5000, 'x');
  ExpectRefused(PrimesJob(), ErrorCode::kConflict, "is not a journal");
  EXPECT_EQ(FileBytes(File()), std::string(5000, 'x'));
}

TEST_F(JournalTest, AnEmptyFileIsRefused) {
  std::ofstream(File()).flush();
  ExpectRefused(PrimesJob(), ErrorCode::kConflict, "is not a journal");
}

TEST_F(JournalTest, CreationLeavesNothingBesideTheJournal) {
  MustOpen();
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename(), "journal.db");
  }
}

TEST_F(JournalTest, InvalidRowsAreReported) {
  ASSERT_TRUE(MustOpen()->Append({{OneTask(1), OneTask(2)}, {}, {}}));
  Execute(File(), "UPDATE results SET bytes = x'00' WHERE begin = 2");
  const auto journal = MustOpen();
  const auto visited = journal->ForEachResult([](const auto&) { return Result<void>(); });
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().code, ErrorCode::kInternal);
  EXPECT_NE(visited.error().message.find("row 2 of results"), std::string::npos);
}

TEST_F(JournalTest, OverlappingRowsAreReported) {
  ASSERT_TRUE(MustOpen()->Append({{OneTask(1), OneTask(2)}, {}, {}}));
  Execute(File(), "UPDATE results SET \"end\" = 4 WHERE begin = 1");
  ExpectRefused(PrimesJob(), ErrorCode::kInternal, "damaged");
}

TEST_F(JournalTest, AFolderThatCannotBeCreatedIsRefused) {
  std::ofstream(folder_ / "file").flush();
  const auto journal = Journal::Open(folder_ / "file" / "sub", PrimesJob());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kUnavailable);
}

TEST_F(JournalTest, TheLockProbeLeavesNothingBehind) {
  EXPECT_TRUE(CheckThatFolderLocks(folder_));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST(LockProbe, RejectsFileSystemsThatLockOnOneMachineOnly) {
  constexpr std::uint64_t kExt4 = 0xEF53;
  constexpr std::uint64_t kNfs = 0x6969;
  EXPECT_EQ(WhyLocksCannotBeTrusted(kExt4, "rw,relatime"), "");
  EXPECT_EQ(WhyLocksCannotBeTrusted(kNfs, "rw,vers=4.2,local_lock=none"), "");
  EXPECT_NE(WhyLocksCannotBeTrusted(kNfs, "rw,vers=3,nolock,local_lock=all"), "");
  EXPECT_NE(WhyLocksCannotBeTrusted(0xFF534D42, "rw"), "");
  EXPECT_NE(WhyLocksCannotBeTrusted(0x01021997, "rw"), "");
}

}  // namespace
}  // namespace evenkeel::coordinator
