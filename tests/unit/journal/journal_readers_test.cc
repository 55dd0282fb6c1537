#include <mutex>
#include <thread>
#include <utility>

#include "coordinator/fair_mutex.h"
#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

TEST(FairMutex, AdmitsAWaiterBeforeItsOwnerTakesItAgain) {
  constexpr int kRounds = 100;
  FairMutex mutex;
  for (int round = 0; round < kRounds; ++round) {
    bool admitted = false;  // guarded by mutex
    mutex.lock();
    std::thread waiter([&] {
      const std::lock_guard lock(mutex);
      admitted = true;
    });
    while (mutex.Users() < 2) std::this_thread::yield();
    mutex.unlock();
    mutex.lock();
    EXPECT_TRUE(admitted);
    mutex.unlock();
    waiter.join();
  }
}

TEST_F(JournalTest, AReaderDoesNotKeepTheLogFromBeingEmptied) {
  constexpr model::TaskIndex kRows = 20;
  constexpr std::uint32_t kResultBytes = 500'000;  // 10 MB together
  const auto journal = MustOpen();
  for (model::TaskIndex n = 0; n < kRows; ++n) {
    ASSERT_TRUE(journal->Append({{OneTask(kRows + n)}, {}, {}}));
  }
  model::TaskIndex visits = 0;
  ASSERT_TRUE(journal->ForEachResult([&](const model::ResultRecord&) {
    model::ResultRecord large = OneTask(visits++);  // before the rows that are being read
    large.results =
        model::PackedResults::OfEqualSize(1, kResultBytes, std::string(kResultBytes, 'x'));
    return journal->Append({{large}, {}, {}});
  }));
  EXPECT_EQ(visits, kRows);
  // SQLite moves the log into the database whenever it has more than 1,000 pages of 4 KiB.
  EXPECT_LT(std::filesystem::file_size(folder_ / "journal.db-wal"), 5u << 20);
}

TEST_F(JournalTest, ReadsMoreThanOnePage) {
  constexpr model::TaskIndex kRows = 1000;
  const auto journal = MustOpen();
  std::vector<model::ResultRecord> results;
  std::vector<model::FailureRecord> failures;
  std::vector<model::TimelineEvent> events;
  for (model::TaskIndex n = 0; n < kRows; ++n) {
    results.push_back(OneTask(n));
    failures.push_back({n, "pi-1", "exit code 1", 1, n % 2 == 0});
    events.emplace_back().tasks = n;
  }
  ASSERT_TRUE(journal->Append({results, failures, events}));
  model::TaskIndex next = 0;
  const auto visit_result = [&](const model::ResultRecord& result) -> Result<void> {
    EXPECT_EQ(result.range.begin, next++);
    return {};
  };
  ASSERT_TRUE(journal->ForEachResult(visit_result));
  EXPECT_EQ(std::exchange(next, 0), kRows);
  ASSERT_TRUE(journal->ForEachRange(visit_result));
  EXPECT_EQ(std::exchange(next, 0), kRows);
  ASSERT_TRUE(
      journal->ForEachFinalFailure([&](const model::FailureRecord& failure) -> Result<void> {
        EXPECT_EQ(failure.index, 2 * next++);
        return {};
      }));
  EXPECT_EQ(std::exchange(next, 0), kRows / 2);
  ASSERT_TRUE(journal->ForEachEvent([&](const model::TimelineEvent& event) -> Result<void> {
    EXPECT_EQ(event.tasks, next++);
    return {};
  }));
  EXPECT_EQ(next, kRows);
}

}  // namespace
}  // namespace evenkeel::coordinator
