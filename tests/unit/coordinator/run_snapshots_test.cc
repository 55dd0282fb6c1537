// Pages may read a run's journal for a long time without blocking the run.
#include "coordinator/run_snapshots.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <future>
#include <thread>

#include "coordinator/journal_writer.h"
#include "tests/unit/coordinator/job_fakes.h"

namespace evenkeel::coordinator {
namespace {

model::ResultRecord RecordOf(std::int64_t task) {
  model::ResultRecord record;
  record.range = {task, task + 1};
  record.node = "node";
  record.results.Append("result");
  return record;
}

class RunSnapshotsTest : public testing::Test {
 protected:
  RunSnapshotsTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evenkeel-snapshots-XXXXXX");
    folder_ = ::mkdtemp(pattern.data());
    version_ = VersionOf(10'000);
    journal_ = *Journal::Open(folder_, *IdentityOf(*version_));
  }
  ~RunSnapshotsTest() override { std::filesystem::remove_all(folder_); }

  static SharedJobVersion VersionOf(std::int64_t tasks) {
    return std::make_shared<const JobVersion>(FakeSpec(), std::make_shared<FakeWorkload>(tasks));
  }
  void OpenRun() {
    OutcomeContext outcome;
    outcome.version = version_;
    snapshots_.Open({journal_, outcome, {}, [] { return protocol::Traffic(); }});
    engine::Progress progress;
    progress.tasks_total = 10'000;
    snapshots_.SetProgress(progress);
  }

  std::filesystem::path folder_;
  SharedJobVersion version_;
  std::shared_ptr<Journal> journal_;
  RunSnapshots snapshots_;
};

TEST_F(RunSnapshotsTest, ThereAreNoneBeforeTheFirstProgressAndAfterTheEnd) {
  const auto visit = [](const RunSnapshot&) { return Result<void>(); };
  EXPECT_EQ(snapshots_.WithSnapshot(visit).error().code, ErrorCode::kUnavailable);
  OpenRun();
  EXPECT_TRUE(snapshots_.WithSnapshot(visit));
  snapshots_.Close();
  EXPECT_EQ(snapshots_.WithSnapshot(visit).error().code, ErrorCode::kUnavailable);
}

TEST_F(RunSnapshotsTest, UpdatesDoNotWaitForAReader) {
  OpenRun();
  const auto visited = snapshots_.WithSnapshot([this](const RunSnapshot& run) -> Result<void> {
    snapshots_.SetVersion(VersionOf(20'000));
    snapshots_.SetProgress({});
    EXPECT_EQ(run.progress.tasks_total, 10'000) << "a reader keeps what it has";
    return {};
  });
  EXPECT_TRUE(visited);
}

TEST_F(RunSnapshotsTest, TheEndStopsAReaderAtItsNextRow) {
  ASSERT_TRUE(journal_->Append({{RecordOf(0), RecordOf(1)}, {}, {}}));
  OpenRun();
  std::promise<void> reads;
  int rows = 0;
  std::thread page([&] {
    const auto visited = snapshots_.WithSnapshot([&](const RunSnapshot& run) {
      return run.journal.ForEachRange([&](const model::ResultRecord&) -> Result<void> {
        if (++rows == 1) reads.set_value();
        while (snapshots_.WithSnapshot([](const RunSnapshot&) { return Result<void>(); })) {
        }
        return {};
      });
    });
    EXPECT_EQ(visited.error().code, ErrorCode::kUnavailable);
  });
  reads.get_future().wait();
  snapshots_.Close();
  EXPECT_EQ(rows, 1);
  page.join();
}

// With an unfair lock the writer gets its turn when the page is drawn: here, never.
TEST_F(RunSnapshotsTest, RecordsAndVersionsAreStoredWhileAPageReadsAllTheTime) {
  std::vector<model::ResultRecord> records;
  for (std::int64_t task = 0; task < 5'000; ++task) records.push_back(RecordOf(task));
  ASSERT_TRUE(journal_->Append({records, {}, {}}));
  OpenRun();
  std::atomic<bool> stored = false;
  std::promise<void> reads;
  std::thread page([&] {
    bool first = true;
    while (!stored) {
      const auto visited = snapshots_.WithSnapshot([&](const RunSnapshot& run) {
        return run.journal.ForEachRange([&](const model::ResultRecord&) -> Result<void> {
          if (std::exchange(first, false)) reads.set_value();
          return {};
        });
      });
      EXPECT_TRUE(visited);
    }
  });
  reads.get_future().wait();
  LoopInbox inbox;
  {
    JournalWriter writer(*journal_, inbox);
    const auto grown = VersionOf(20'000);
    writer.Append(VersionChange{grown, *IdentityOf(*grown)});
    for (std::uint64_t batch = 1; batch <= 50; ++batch) {
      writer.Append(engine::Persist{
          engine::BatchId{batch}, {RecordOf(9'000 + static_cast<std::int64_t>(batch))}, {}});
    }
  }
  stored = true;
  page.join();
  int commits = 0;
  while (const auto event = inbox.Take()) {
    if (const auto* version = std::get_if<VersionCommitted>(&*event)) {
      EXPECT_FALSE(version->error.has_value());
    }
    EXPECT_FALSE(std::holds_alternative<JournalFailed>(*event));
    ++commits;
  }
  EXPECT_GE(commits, 2);
}

}  // namespace
}  // namespace evenkeel::coordinator
