#include "workloads/block_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace evenkeel::workloads {
namespace {

/// Fills blocks with their number, at once or when the test releases it.
class FakeFetcher final : public BlockFetcher {
 public:
  void Fetch(BlockId id, std::span<char> into, Done done) override {
    ++fetches;
    for (char& byte : into) byte = static_cast<char>(id);
    if (held) {
      waiting.emplace_back(std::move(done));
    } else {
      done(fails ? Result<void>(Fail(ErrorCode::kUnavailable, "not now")) : Result<void>());
    }
  }
  void Release() {
    for (const Done& done : std::exchange(waiting, {})) done({});
  }

  std::atomic<int> fetches{0};
  bool held = false;
  bool fails = false;
  std::vector<Done> waiting;
};

BlockCache::Pin GetNow(BlockCache& cache, BlockId id, BlockFetcher& fetcher) {
  const auto got = cache.Get(id, 10, fetcher, {});
  EXPECT_TRUE(got.has_value() && got->has_value());
  return got && *got ? **got : nullptr;
}

TEST(BlockCache, FetchesOnceAndKeepsWhatFits) {
  FakeFetcher fetcher;
  BlockCache cache(30);
  for (const BlockId id : std::vector<BlockId>{1, 2, 3, 1, 2, 3}) {
    const auto pin = GetNow(cache, id, fetcher);
    EXPECT_EQ(pin->Bytes()[9], static_cast<char>(id));
  }
  EXPECT_EQ(fetcher.fetches, 3);
  EXPECT_EQ(cache.Bytes(), 30);
  GetNow(cache, 1, fetcher);  // 2 is the oldest now
  GetNow(cache, 4, fetcher);
  EXPECT_EQ(cache.Bytes(), 30);
  EXPECT_EQ(cache.Find(2), nullptr);
  EXPECT_NE(cache.Find(1), nullptr);
}

TEST(BlockCache, KeepsWhatIsInUseEvenAboveTheLimit) {
  FakeFetcher fetcher;
  BlockCache cache(15);
  const auto first = GetNow(cache, 1, fetcher);
  const auto second = GetNow(cache, 2, fetcher);
  EXPECT_EQ(cache.Bytes(), 20);
  cache.Drop(1);
  cache.Prefetch(3, 10, fetcher);
  EXPECT_EQ(fetcher.fetches, 2) << "there is no room to fetch ahead";
  EXPECT_EQ(GetNow(cache, 1, fetcher), first);
}

TEST(BlockCache, DropsWhatIsNotNeededAnyMore) {
  FakeFetcher fetcher;
  BlockCache cache(100);
  GetNow(cache, 1, fetcher);
  cache.Drop(1);
  EXPECT_EQ(cache.Bytes(), 0);
  cache.Drop(1);
  GetNow(cache, 1, fetcher);
  EXPECT_EQ(fetcher.fetches, 2);
}

TEST(BlockCache, ManyTasksShareOneFetch) {
  FakeFetcher fetcher;
  fetcher.held = true;
  BlockCache cache(100);
  cache.Prefetch(7, 10, fetcher);
  std::vector<std::thread> threads;
  std::atomic<int> there{0};
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      if (GetNow(cache, 7, fetcher)) ++there;
    });
  }
  EXPECT_EQ(cache.Find(7), nullptr) << "it is on its way";
  fetcher.Release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(there, 4);
  EXPECT_EQ(fetcher.fetches, 1);
}

TEST(BlockCache, AStoppedTaskDoesNotWait) {
  FakeFetcher fetcher;
  fetcher.held = true;
  BlockCache cache(100);
  std::stop_source stop;
  stop.request_stop();
  const auto got = cache.Get(7, 10, fetcher, stop.get_token());
  ASSERT_TRUE(got.has_value());
  EXPECT_FALSE(got->has_value());
  fetcher.Release();
}

TEST(BlockCache, AFailedFetchIsReportedAndRetried) {
  FakeFetcher fetcher;
  fetcher.fails = true;
  BlockCache cache(100);
  const auto got = cache.Get(1, 10, fetcher, {});
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().message, "not now");
  EXPECT_EQ(cache.Bytes(), 0);
  fetcher.fails = false;
  EXPECT_NE(GetNow(cache, 1, fetcher), nullptr);
}

}  // namespace
}  // namespace evenkeel::workloads
