#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>

#include "coordinator/journal.h"
#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

constexpr model::TaskIndex kBatch = 25;

/// Batch n holds tasks n * kBatch .. (n + 1) * kBatch - 1.
std::vector<model::ResultRecord> Batch(model::TaskIndex n) {
  std::vector<model::ResultRecord> records;
  for (model::TaskIndex i = 0; i < kBatch; ++i) records.push_back(OneTask(n * kBatch + i));
  return records;
}

/// Limits the size of this process's files, which has the effect of a full disk.
void LimitFileSize(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(JournalTest, AKilledWriterLeavesWholeBatchesAndEveryAcknowledgedOne) {
  std::uint64_t epoch = 0;
  model::TaskIndex first_batch = 0;
  for (int round = 0; round < 4; ++round) {
    int acknowledged[2];
    ASSERT_EQ(pipe(acknowledged), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto journal = Journal::Open(folder_, PrimesJob());
      for (model::TaskIndex n = first_batch; journal && (*journal)->Append({Batch(n), {}, {}});
           ++n) {
        if (write(acknowledged[1], "a", 1) != 1) break;
      }
      _exit(1);
    }
    close(acknowledged[1]);
    char byte = 0;
    model::TaskIndex seen = 0;
    while (seen < 20 + round && read(acknowledged[0], &byte, 1) == 1) ++seen;
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (read(acknowledged[0], &byte, 1) == 1) ++seen;
    close(acknowledged[0]);

    const auto journal = MustOpen();
    ASSERT_NE(journal, nullptr);
    EXPECT_EQ(journal->State().epoch, epoch + 2);
    epoch = journal->State().epoch;
    const std::int64_t completed = journal->State().completed.Size();
    EXPECT_EQ(completed % kBatch, 0) << "part of a transaction";
    EXPECT_GE(completed, (first_batch + seen) * kBatch) << "an acknowledged batch is lost";
    EXPECT_LE(completed, (first_batch + seen + 1) * kBatch);
    EXPECT_EQ(journal->State().completed.RangeCount(), 1u);
    first_batch = completed / kBatch;
  }
}

TEST_F(JournalTest, AFullDiskFailsAnAppendAndLeavesTheJournalUsable) {
  int counts[2];
  ASSERT_EQ(pipe(counts), 0);
  const int status = InChild([&] {
    const auto journal = Journal::Open(folder_, PrimesJob());
    if (!journal) return false;
    LimitFileSize(400 * 1024);
    model::TaskIndex n = 0;
    Result<void> appended;
    while ((appended = (*journal)->Append({Batch(n), {}, {}}))) ++n;
    const bool told = appended.error().code == ErrorCode::kStorageFull &&
                      appended.error().message.find("no space left") != std::string::npos;
    // Still usable: nothing of the failed batch is there, everything before is.
    std::int64_t rows = 0;
    const auto visited = (*journal)->ForEachResult([&rows](const auto&) {
      ++rows;
      return Result<void>();
    });
    const bool wrote = write(counts[1], &n, sizeof(n)) == sizeof(n);
    return told && wrote && visited && rows == n * kBatch && n > 0;
  });
  EXPECT_EQ(status, 0);
  model::TaskIndex n = 0;
  ASSERT_EQ(read(counts[0], &n, sizeof(n)), static_cast<ssize_t>(sizeof(n)));
  close(counts[0]);
  close(counts[1]);
  const auto journal = MustOpen();
  EXPECT_EQ(journal->State().completed.Size(), n * kBatch);
  EXPECT_TRUE(journal->Append({Batch(n), {}, {}})) << "the disk has space again";
}

TEST_F(JournalTest, OpeningOnAFullDiskIsRefused) {
  const auto refused = [this] {
    LimitFileSize(0);
    const auto journal = Journal::Open(folder_, PrimesJob());
    return !journal && journal.error().code == ErrorCode::kStorageFull;
  };
  EXPECT_EQ(InChild(refused), 0) << "a new journal";
  ASSERT_TRUE(MustOpen()->Append({Batch(0), {}, {}}));
  EXPECT_EQ(InChild(refused), 0) << "a journal that was there";
  EXPECT_EQ(MustOpen()->State().epoch, 2u);
}

}  // namespace
}  // namespace evenkeel::coordinator
