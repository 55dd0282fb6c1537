#include "files/chunk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "tests/unit/files/file_samples.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::files {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 30;
constexpr auto kPatience = std::chrono::seconds(30);  // bounds waits of tests

class ChunkCacheTest : public testing::Test {
 protected:
  std::unique_ptr<ChunkCache> Open(std::int64_t limit = kPlenty, bool verify = true) const {
    auto cache = ChunkCache::Open({Folder(), limit, verify});
    EXPECT_TRUE(cache) << cache.error().message;
    return std::move(*cache);
  }
  [[nodiscard]] std::filesystem::path Folder() const { return folder_.Path() / "cache"; }
  [[nodiscard]] std::filesystem::path Fallback() const { return folder_.Path() / "fallback"; }
  std::unique_ptr<ChunkCache> OpenWithFallback(std::int64_t limit = kPlenty) const {
    auto cache = ChunkCache::Open({Folder(), limit, true, Fallback()});
    EXPECT_TRUE(cache) << cache.error().message;
    return std::move(*cache);
  }

  /// Counts the chunks that it provides.
  ChunkCache::Fetch From(const std::string& bytes) {
    return [this, &bytes](std::size_t place, const std::stop_token&) -> Result<Chunk> {
      ++fetched_;
      return MakeChunk(ChunkOf(bytes, place));
    };
  }
  ChunkCache::Pin MustGet(ChunkCache& cache, const std::string& bytes) {
    auto pin = cache.Get(ContentOfBytes(bytes), From(bytes), {});
    EXPECT_TRUE(pin) << pin.error().message;
    if (!pin) return nullptr;
    EXPECT_EQ(BytesOf((*pin)->Path()), bytes);
    return *pin;
  }
  [[nodiscard]] std::filesystem::path PathOf(const std::string& bytes) const {
    return Folder() / HexOf(protocol::Sha256Of(bytes));
  }
  /// As a task of the same user could.
  static void Corrupt(const std::filesystem::path& path, const std::string& bytes) {
    ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
    WriteFile(path, bytes);
  }

  /// Runs the test in a thread to which the folder is a file system of so many bytes. False if this
  /// user may not mount one.
  bool InSmallFileSystem(std::size_t bytes, const std::function<void()>& test) const {
    std::filesystem::create_directories(Folder());
    bool mounted = false;
    std::thread thread([&] {
      const std::string size = "size=" + std::to_string(bytes);
      mounted = ::unshare(CLONE_NEWNS) == 0 &&
                ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                ::mount("tmpfs", Folder().c_str(), "tmpfs", 0, size.c_str()) == 0;
      if (mounted) test();
    });
    thread.join();
    return mounted;
  }

  report::TemporaryFolder folder_;
  std::atomic<int> fetched_{0};
};

TEST_F(ChunkCacheTest, FetchesWhatIsMissingOnce) {
  const auto cache = Open();
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, kLarge}) {
    const std::string bytes = SampleBytes(size, 1);
    fetched_ = 0;
    MustGet(*cache, bytes);
    EXPECT_EQ(fetched_, static_cast<int>(ChunkCount(static_cast<std::int64_t>(size))));
    const auto pin = MustGet(*cache, bytes);
    EXPECT_EQ(fetched_, static_cast<int>(ChunkCount(static_cast<std::int64_t>(size))));
    struct stat status {};
    ASSERT_EQ(::stat(pin->Path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0444U);
  }
}

TEST_F(ChunkCacheTest, FilesShareChunks) {
  const auto cache = Open();
  const std::string first = SampleBytes(kLarge, 1);
  MustGet(*cache, first);
  fetched_ = 0;
  MustGet(*cache, first + "more");
  EXPECT_EQ(fetched_, 1) << "only the last chunk differs";
  const auto found = cache->Find(protocol::Sha256Of(ChunkOf(first, 0)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->Bytes().ToString(), ChunkOf(first, 0));
  EXPECT_FALSE(cache->Find(protocol::Sha256Of("none")));
}

TEST_F(ChunkCacheTest, ThreadsThatWantTheSameFetchItOnce) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n) threads.emplace_back([&] { MustGet(*cache, bytes); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fetched_, 3);
}

TEST_F(ChunkCacheTest, SurvivesARestart) {
  const std::string bytes = SampleBytes(kLarge, 1);
  MustGet(*Open(), bytes);
  WriteFile(Folder() / std::string(64, 'a'), SampleBytes(kChunkBytes + 1, 1));
  WriteFile(Folder() / "process-killed" / "1", "unfinished");
  fetched_ = 0;
  const auto cache = Open();
  MustGet(*cache, bytes);
  EXPECT_EQ(fetched_, 0);
  EXPECT_FALSE(std::filesystem::exists(Folder() / std::string(64, 'a')));
  EXPECT_FALSE(std::filesystem::exists(Folder() / "process-killed"));
}

// So a coordinator finds out, without reading anything, which of its files are here.
TEST_F(ChunkCacheTest, FilesKeepTheTimeOfChangeOfTheirOrigin) {
  constexpr std::int64_t kChanged = 1'234'567'890'123'456'789;
  const std::string small = SampleBytes(100, 1);
  const std::string large = SampleBytes(kLarge, 2);
  {
    const auto cache = Open();
    EXPECT_TRUE(cache->Get(ContentOfBytes(small), From(small), {}, kChanged));
    EXPECT_TRUE(cache->Get(ContentOfBytes(large), From(large), {}, kChanged + 1));
    EXPECT_TRUE(cache->VersionKeys().empty()) << "it was empty when it was opened";
  }
  const auto cache = Open();
  const auto keys = cache->VersionKeys();
  const auto has = [&keys](std::int64_t bytes, std::int64_t changed) {
    return std::count(keys.begin(), keys.end(), VersionKey(bytes, changed)) == 1;
  };
  EXPECT_TRUE(has(100, kChanged));
  EXPECT_TRUE(has(kLarge, kChanged + 1));
  EXPECT_FALSE(has(100, kChanged + 1));
  EXPECT_FALSE(has(kLarge, kChanged));
  MustGet(*cache, small);
  EXPECT_EQ(Open()->VersionKeys().size(), keys.size());
}

TEST_F(ChunkCacheTest, GoesOnWhereAFetchHasFailed) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  const auto broken = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
    if (place == 2) return Fail(ErrorCode::kUnavailable, "the cable was pulled");
    return From(bytes)(place, {});
  };
  const auto failed = cache->Get(ContentOfBytes(bytes), broken, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the cable was pulled");
  fetched_ = 0;
  MustGet(*cache, bytes);
  EXPECT_EQ(fetched_, 1);
}

TEST_F(ChunkCacheTest, RequestsTheNextChunkWhileTheFirstIsHeldBack) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::promise<void> next_requested;
  std::atomic<bool> in_time = false;
  const auto fetch = [&](std::size_t place, const std::stop_token&) {
    if (place == 0) {
      in_time = next_requested.get_future().wait_for(kPatience) == std::future_status::ready;
    } else if (place == 1) {
      next_requested.set_value();
    }
    return From(bytes)(place, {});
  };
  const auto pin = cache->Get(ContentOfBytes(bytes), fetch, {});
  ASSERT_TRUE(pin) << pin.error().message;
  EXPECT_TRUE(in_time);
  EXPECT_EQ(BytesOf((*pin)->Path()), bytes);
  EXPECT_EQ(fetched_, 3);
}

// Other workers are sent to this one for a chunk as soon as it is requested.
TEST_F(ChunkCacheTest, OthersWaitForAChunkThatIsFetchedAhead) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::promise<void> next_requested;
  std::promise<void> first_may_end;
  std::thread getting([&] {
    const auto fetch = [&](std::size_t place, const std::stop_token&) {
      if (place == 1) next_requested.set_value();
      if (place == 0) first_may_end.get_future().wait_for(kPatience);
      return From(bytes)(place, {});
    };
    EXPECT_TRUE(cache->Get(ContentOfBytes(bytes), fetch, {}));
  });
  EXPECT_EQ(next_requested.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(cache->Find(protocol::Sha256Of(ChunkOf(bytes, 1)), kPatience));
  first_may_end.set_value();
  getting.join();
  EXPECT_EQ(fetched_, 3);
}

TEST_F(ChunkCacheTest, AFailureAheadIsTriedAgainInItsTurn) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::promise<void> has_failed;
  std::atomic<int> requests = 0;
  const auto fetch = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
    if (place == 0) has_failed.get_future().wait_for(kPatience);
    if (place == 1 && ++requests == 1) {
      has_failed.set_value();
      return Fail(ErrorCode::kUnavailable, "only once");
    }
    return From(bytes)(place, {});
  };
  const auto pin = cache->Get(ContentOfBytes(bytes), fetch, {});
  ASSERT_TRUE(pin) << pin.error().message;
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(BytesOf((*pin)->Path()), bytes);
}

TEST_F(ChunkCacheTest, TheErrorOfTheFirstChunkIsReturnedWhileOthersArrive) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::promise<void> next_requested;
  const auto fetch = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
    if (place == 1) next_requested.set_value();
    if (place > 0) return From(bytes)(place, {});
    next_requested.get_future().wait_for(kPatience);
    return Fail(ErrorCode::kInvalidInput, "the file has changed");
  };
  const auto failed = cache->Get(ContentOfBytes(bytes), fetch, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(failed.error().message, "the file has changed");
  fetched_ = 0;
  MustGet(*cache, bytes);
  EXPECT_LE(fetched_, 2) << "what has arrived is not fetched again";
}

TEST_F(ChunkCacheTest, AStopEndsTheFetchesOfTwoChunks) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::stop_source stop;
  std::promise<void> both_requested;
  std::atomic<int> requests = 0;
  const auto fetch = [&](std::size_t, const std::stop_token&) -> Result<Chunk> {
    std::promise<void> stopped;
    const std::stop_callback on_stop(stop.get_token(), [&] { stopped.set_value(); });
    if (++requests == 2) both_requested.set_value();
    stopped.get_future().wait_for(kPatience);
    return Fail(ErrorCode::kUnavailable, "stopped");
  };
  auto getting = std::async(std::launch::async, [&] {
    return cache->Get(ContentOfBytes(bytes), fetch, stop.get_token());
  });
  EXPECT_EQ(both_requested.get_future().wait_for(kPatience), std::future_status::ready);
  stop.request_stop();
  const auto got = getting.get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(cache->Bytes(), 0);
}

TEST_F(ChunkCacheTest, FilesWithTheSameChunksInOppositeOrderDoNotBlockEachOther) {
  constexpr std::size_t kCount = 4;
  std::string forward;
  std::string backward;
  for (unsigned n = 0; n < kCount; ++n) {
    const std::string chunk = SampleBytes(static_cast<std::size_t>(kChunkBytes), n + 1);
    forward += chunk;
    backward.insert(0, chunk);
  }
  const auto size = static_cast<std::int64_t>(forward.size());
  for (int round = 0; round < 4; ++round) {
    std::filesystem::remove_all(Folder());
    const bool tight = round % 2 == 1;
    const auto cache = Open(tight ? 2 * size : kPlenty);
    fetched_ = 0;
    std::thread other([&] { MustGet(*cache, backward); });
    MustGet(*cache, forward);
    other.join();
    EXPECT_EQ(fetched_, static_cast<int>(kCount)) << "each chunk once";
  }
}

TEST_F(ChunkCacheTest, AFileNeedsRoomForItsBytesOnce) {
  const std::string bytes = SampleBytes(static_cast<std::size_t>(4 * kChunkBytes), 1);
  const auto cache = Open(4 * kChunkBytes);
  ASSERT_NE(MustGet(*cache, bytes), nullptr);
  EXPECT_EQ(cache->Bytes(), 4 * kChunkBytes);
  std::filesystem::remove_all(Folder());
  constexpr std::size_t kOverhead = 64 << 10;
  const bool mounted = InSmallFileSystem(bytes.size() + kOverhead, [&] {
    for (int round = 0; round < 2; ++round) {
      const auto fresh = OpenWithFallback();
      const auto pin = MustGet(*fresh, bytes);
      ASSERT_NE(pin, nullptr);
      EXPECT_TRUE(pin->Path().string().starts_with(Folder().string())) << pin->Path();
      for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
        if (entry.is_regular_file()) std::filesystem::remove(entry.path());
      }
    }
  });
  if (!mounted) GTEST_SKIP() << "needs the right to mount a file system";
}

TEST_F(ChunkCacheTest, AnErrorOfOneChunkEndsTheFetchOfTheNext) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  std::promise<void> next_requested;
  std::atomic<bool> ended = false;
  const auto fetch = [&](std::size_t place, const std::stop_token& stop) -> Result<Chunk> {
    if (place == 0) {
      next_requested.get_future().wait_for(kPatience);
      return Fail(ErrorCode::kInvalidInput, "the file has changed");
    }
    std::promise<void> stopped;
    const std::stop_callback on_stop(stop, [&] { stopped.set_value(); });
    next_requested.set_value();
    ended = stopped.get_future().wait_for(kPatience) == std::future_status::ready;
    return Fail(ErrorCode::kUnavailable, "stopped");
  };
  EXPECT_FALSE(cache->Get(ContentOfBytes(bytes), fetch, {}));
  EXPECT_TRUE(ended);
}

TEST_F(ChunkCacheTest, APartOfAFileCountsCanBeReadAndIsRemoved) {
  const std::string bytes = SampleBytes(kLarge, 1);
  const auto cache = Open(kChunkBytes * 3);
  const auto broken = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
    if (place > 0) return Fail(ErrorCode::kUnavailable, "the cable was pulled");
    return From(bytes)(place, {});
  };
  ASSERT_FALSE(cache->Get(ContentOfBytes(bytes), broken, {}));
  EXPECT_EQ(cache->Bytes(), kChunkBytes);
  const auto first = protocol::Sha256Of(ChunkOf(bytes, 0));
  EXPECT_TRUE(cache->Find(first)) << "other workers get it";
  const std::string large = SampleBytes(static_cast<std::size_t>(3 * kChunkBytes), 2);
  MustGet(*cache, large);
  EXPECT_EQ(cache->Bytes(), 3 * kChunkBytes);
  EXPECT_FALSE(cache->Find(first));
  EXPECT_FALSE(std::filesystem::exists(Folder() / PartialName(CachedName(ContentOfBytes(bytes)))));
}

TEST_F(ChunkCacheTest, APartOutlivesItsProcessHoweverThatEnded) {
  const std::string bytes = SampleBytes(kLarge, 1);
  const std::string part = PartialName(CachedName(ContentOfBytes(bytes)));
  const auto broken = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
    if (place > 0) return Fail(ErrorCode::kUnavailable, "the cable was pulled");
    return From(bytes)(place, {});
  };
  EXPECT_FALSE(Open()->Get(ContentOfBytes(bytes), broken, {}));
  const auto killed = Folder() / "process-killed";
  for (const bool was_killed : {false, true}) {
    if (was_killed) {
      std::filesystem::remove(Folder() / CachedName(ContentOfBytes(bytes)));
      WriteFile(killed / part, "wrong" + bytes.substr(5, kChunkBytes + 10));
    }
    const auto cache = Open();
    EXPECT_GT(cache->Bytes(), 0);
    EXPECT_TRUE(cache->VersionKeys().empty()) << "it is not a whole file";
    EXPECT_FALSE(std::filesystem::exists(killed));
    fetched_ = 0;
    MustGet(*cache, bytes);
    EXPECT_EQ(fetched_, was_killed ? 3 : 2);
    EXPECT_FALSE(std::filesystem::exists(Folder() / part));
  }
}

TEST_F(ChunkCacheTest, OnlyWrongChunksOfAFileAreFetchedAgain) {
  const std::string bytes = SampleBytes(kLarge, 1);
  const auto path = Folder() / CachedName(ContentOfBytes(bytes));
  const auto cache = Open();
  MustGet(*cache, bytes);
  std::string wrong = bytes;
  wrong[kLarge - 1] = static_cast<char>(wrong[kLarge - 1] + 1);
  Corrupt(path, wrong);
  fetched_ = 0;
  MustGet(*cache, bytes);
  EXPECT_EQ(fetched_, 1);
  Corrupt(path, ChunkOf(bytes, 0));
  MustGet(*Open(), bytes);
  EXPECT_EQ(fetched_, 3) << "two were cut off";
  EXPECT_EQ(cache->Bytes(), static_cast<std::int64_t>(kLarge));
}

TEST_F(ChunkCacheTest, KnowsTheChunksOfItsFilesAfterARestart) {
  const std::string bytes = SampleBytes(kLarge, 1);
  MustGet(*Open(), bytes);
  const auto list = Folder() / (CachedName(ContentOfBytes(bytes)) + ".chunks");
  ASSERT_TRUE(std::filesystem::exists(list));
  {
    const auto cache = Open();
    EXPECT_TRUE(cache->Find(protocol::Sha256Of(ChunkOf(bytes, 1))));
    fetched_ = 0;
    MustGet(*cache, bytes + "more");
    EXPECT_EQ(fetched_, 1) << "only the last chunk differs";
  }
  Corrupt(list, BytesOf(list) + std::string(32, 'x'));
  EXPECT_FALSE(Open()->Find(protocol::Sha256Of(ChunkOf(bytes, 2)))) << "a wrong list is ignored";
  std::filesystem::remove(Folder() / CachedName(ContentOfBytes(bytes)));
  Open();
  EXPECT_FALSE(std::filesystem::exists(list)) << "of no file";
}

TEST_F(ChunkCacheTest, RefusesWrongBytes) {
  const auto cache = Open();
  const auto lie = [](std::size_t, const std::stop_token&) -> Result<Chunk> {
    return MakeChunk("lie");
  };
  EXPECT_FALSE(cache->Get(ContentOfBytes("truth"), lie, {}));
  EXPECT_EQ(cache->Bytes(), 0);
  MustGet(*cache, "truth");
  EXPECT_FALSE(cache->Get({5, {}}, lie, {}));
  EXPECT_FALSE(cache->Get({-1, {}}, lie, {}));
}

TEST_F(ChunkCacheTest, NoticesWhatWasChangedInTheFolder) {
  for (const std::string& bytes : {std::string("truth"), SampleBytes(kLarge, 1)}) {
    const auto cache = Open();
    auto pin = MustGet(*cache, bytes);
    Corrupt(pin->Path(), "lie");
    EXPECT_FALSE(cache->Find(protocol::Sha256Of(bytes)));
    MustGet(*cache, bytes);
    pin.reset();
    MustGet(*cache, bytes);
    for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
      if (entry.is_regular_file()) Corrupt(entry.path(), "lie");
    }
    MustGet(*cache, bytes);
  }
}

TEST_F(ChunkCacheTest, VerifiesOnceIfTasksCannotWrite) {
  WriteFile(PathOf("truth"), "wrong");
  const auto cache = Open(kPlenty, false);
  MustGet(*cache, "truth");
  Corrupt(PathOf("truth"), "wrong");
  const auto pin = cache->Get(ContentOfBytes("truth"), From("truth"), {});
  ASSERT_TRUE(pin);
  EXPECT_EQ(BytesOf((*pin)->Path()), "wrong") << "the option excludes this";
  EXPECT_FALSE(cache->Find(protocol::Sha256Of("truth"))) << "others are sent no lies";
}

TEST_F(ChunkCacheTest, RemovesWhatWasUsedLongestAgoButNothingInUse) {
  const auto cache = Open(30);
  const std::string a = SampleBytes(10, 1);
  const std::string b = SampleBytes(10, 2);
  const std::string c = SampleBytes(10, 3);
  const std::string d = SampleBytes(10, 4);
  auto pinned = MustGet(*cache, a);
  MustGet(*cache, b);
  MustGet(*cache, c);
  MustGet(*cache, b);
  MustGet(*cache, d);
  EXPECT_TRUE(std::filesystem::exists(PathOf(a))) << "in use";
  EXPECT_TRUE(std::filesystem::exists(PathOf(b))) << "used after c";
  EXPECT_FALSE(std::filesystem::exists(PathOf(c)));
  EXPECT_EQ(cache->Bytes(), 30);

  const std::string large = SampleBytes(25, 5);
  const auto refused = cache->Get(ContentOfBytes(large), From(large), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(refused.error().message,
            "the cache of input files may have 30 bytes: 10 are in use, 25 more are needed");
  EXPECT_TRUE(std::filesystem::exists(PathOf(b))) << "nothing is removed in vain";
  pinned.reset();
  MustGet(*cache, large);
  EXPECT_EQ(cache->Bytes(), 25);
}

TEST_F(ChunkCacheTest, OfNoBytesHasOneClearError) {
  const auto cache = Open(0);
  const auto refused = cache->Get(ContentOfBytes("x"), From("x"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kStorageFull);
  MustGet(*cache, "");
}

TEST_F(ChunkCacheTest, TheOrderOfUseSurvivesARestart) {
  const std::string a = SampleBytes(10, 1);
  const std::string b = SampleBytes(10, 2);
  {
    const auto cache = Open();
    MustGet(*cache, a);
    MustGet(*cache, b);
  }
  const struct timespec old[] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, PathOf(b).c_str(), old, 0), 0);
  const auto cache = Open(10);
  EXPECT_TRUE(std::filesystem::exists(PathOf(a)));
  EXPECT_FALSE(std::filesystem::exists(PathOf(b)));
}

TEST_F(ChunkCacheTest, AFileInUseDoesNotLookChangedWhenOthersUseIt) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(1000, 1);
  const auto pin = MustGet(*cache, bytes);
  const auto written = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(pin->Path(), written);
  const auto before = std::filesystem::last_write_time(pin->Path());
  MustGet(*cache, bytes);
  EXPECT_EQ(std::filesystem::last_write_time(pin->Path()), before);
}

TEST_F(ChunkCacheTest, ProcessesMayShareAFolder) {
  const auto first = Open(15);
  const auto second = Open(15);
  const std::string a = SampleBytes(10, 1);
  const std::string b = SampleBytes(10, 2);
  MustGet(*first, a);
  const auto third = Open(15);
  auto pinned = MustGet(*first, a);
  MustGet(*third, b);
  EXPECT_FALSE(std::filesystem::exists(PathOf(a))) << "the other does not see the pin";
  EXPECT_EQ(BytesOf(pinned->Path()), a) << "but the file stays";
  pinned.reset();
  fetched_ = 0;
  MustGet(*first, a);
  EXPECT_EQ(fetched_, 1) << "what has vanished is fetched again";
  MustGet(*second, a);
  EXPECT_EQ(fetched_, 1) << "what another has fetched in the meantime is not";
}

TEST_F(ChunkCacheTest, WhatAnotherProcessHasFetchedIsVerifiedAndWithinTheLimit) {
  const auto first = Open();
  const auto second = Open(20);
  const std::string bytes = SampleBytes(15, 1);
  MustGet(*second, SampleBytes(10, 2));
  MustGet(*first, bytes);
  fetched_ = 0;
  MustGet(*second, bytes);
  EXPECT_EQ(fetched_, 0);
  EXPECT_EQ(second->Bytes(), 15);
  MustGet(*first, SampleBytes(12, 3));
  Corrupt(PathOf(SampleBytes(12, 3)), SampleBytes(12, 4));
  fetched_ = 0;
  MustGet(*second, SampleBytes(12, 3));
  EXPECT_EQ(fetched_, 1);
}

TEST_F(ChunkCacheTest, WaitsEndWithTheTask) {
  const auto cache = Open();
  std::promise<void> began;
  std::promise<void> may_end;
  std::thread slow([&] {
    const auto fetch = [&](std::size_t, const std::stop_token&) -> Result<Chunk> {
      began.set_value();
      may_end.get_future().wait();
      return MakeChunk("x");
    };
    EXPECT_TRUE(cache->Get(ContentOfBytes("x"), fetch, {}));
  });
  began.get_future().wait();
  std::stop_source stop;
  std::thread waiting([&] {
    const auto got = cache->Get(ContentOfBytes("x"), From("x"), stop.get_token());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kUnavailable);
  });
  stop.request_stop();
  waiting.join();
  may_end.set_value();
  slow.join();
}

TEST_F(ChunkCacheTest, AFullDiskIsAnErrorOfTheFetch) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(3 << 20, 1);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {1 << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto failed = cache->Get(ContentOfBytes(bytes), From(bytes), {});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(cache->Bytes(), 0);
  MustGet(*cache, bytes);
}

TEST_F(ChunkCacheTest, ProcessesThatStartTogetherShareAFolder) {
  constexpr int kTogether = 8;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> processes;
    for (int n = 0; n < kTogether; ++n) {
      processes.emplace_back([&] { MustGet(*Open(), "truth"); });
    }
    for (std::thread& process : processes) process.join();
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Folder()), {}), 1) << "just the file";
}

TEST_F(ChunkCacheTest, RemovesWhatAKilledProcessHasLeftAndNothingOfALivingOne) {
  const auto living = Open();
  const auto pinned = MustGet(*living, "pinned");
  const auto killed = Folder() / "process-killed";
  const auto other = Folder() / "process-other";
  for (const auto& path : {killed, other}) {
    WriteFile(path / "1", "unfinished");
    WriteFile(path.string() + ".lock", "");
  }
  const platform::FileDescriptor lock(::open((other.string() + ".lock").c_str(), O_RDWR));
  ASSERT_EQ(::flock(lock.Get(), LOCK_EX), 0);
  const auto next = Open();
  EXPECT_FALSE(std::filesystem::exists(killed));
  EXPECT_FALSE(std::filesystem::exists(killed.string() + ".lock"));
  EXPECT_TRUE(std::filesystem::exists(other / "1"));
  EXPECT_EQ(BytesOf(pinned->Path()), "pinned");
}

TEST_F(ChunkCacheTest, UsesTheFallbackIfTheFolderCannotBeUsed) {
  WriteFile(Folder(), "no folder");
  EXPECT_FALSE(ChunkCache::Open({Folder(), kPlenty}));
  const auto pin = MustGet(*OpenWithFallback(), "truth");
  EXPECT_EQ(pin->Path().parent_path().parent_path(), Fallback());

  std::filesystem::remove(Folder());
  const auto elsewhere = folder_.Path() / "elsewhere";
  WriteFile(elsewhere / std::string(64, 'a'), SampleBytes(kChunkBytes + 1, 1));
  std::filesystem::create_directory_symlink(elsewhere, Folder());
  fetched_ = 0;
  MustGet(*OpenWithFallback(), "truth");
  EXPECT_EQ(fetched_, 0) << "it is in the fallback";
  EXPECT_TRUE(std::filesystem::exists(elsewhere / std::string(64, 'a'))) << "links lead nowhere";

  std::filesystem::remove_all(Fallback());
  WriteFile(Fallback(), "no folder either");
  const auto none = ChunkCache::Open({Folder(), kPlenty, true, Fallback()});
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().message.starts_with(Folder().string() + ": cannot be written: "));
}

TEST_F(ChunkCacheTest, UsesTheFallbackIfThisUserMayNotWriteToTheVolume) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to act as another user";
  for (const auto& path : {folder_.Path(), Folder(), Fallback()}) {
    std::filesystem::create_directories(path);
    ASSERT_EQ(::chmod(path.c_str(), path == Fallback() ? 0777 : 0755), 0);
  }
  std::thread thread([&] {
    constexpr int kWorker = 65532;
    ::setfsuid(kWorker);  // of this thread alone
    const auto cache = ChunkCache::Open({Folder() / "cache", kPlenty, true, Fallback()});
    ASSERT_TRUE(cache) << cache.error().message;
    const auto pin = MustGet(**cache, "truth");
    EXPECT_EQ(pin->Path().parent_path().parent_path(), Fallback());
    const auto refused = ChunkCache::Open({Folder() / "cache", kPlenty});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              (Folder() / "cache").string() + ": cannot be written: Permission denied");
  });
  thread.join();
}

TEST_F(ChunkCacheTest, UsesTheFallbackOnceTheFolderCannotBeWritten) {
  const auto cache = OpenWithFallback();
  MustGet(*cache, "truth");
  const std::string bytes = SampleBytes(static_cast<std::size_t>(kChunkBytes) + 1000, 1);
  std::promise<void> first_fetched;
  const auto first = protocol::Sha256Of(ChunkOf(bytes, 0));
  std::atomic<bool> broken = false;
  const auto breaks = [&](std::size_t place, const std::stop_token&) -> Result<Chunk> {
    if (broken) return From(bytes)(place, {});
    if (place == 0) {
      first_fetched.set_value();
      return From(bytes)(place, {});
    }
    first_fetched.get_future().wait_for(kPatience);
    EXPECT_TRUE(cache->Find(first, kPatience)) << "it is not being written any more";
    std::filesystem::remove_all(Folder());
    WriteFile(Folder(), "no folder");
    broken = true;
    return From(bytes)(place, {});
  };
  const auto pin = cache->Get(ContentOfBytes(bytes), breaks, {});
  ASSERT_TRUE(pin) << pin.error().message;
  EXPECT_EQ(BytesOf((*pin)->Path()), bytes);
  fetched_ = 0;
  for (const std::string& again : {bytes, std::string("truth")}) {
    MustGet(*cache, again);
    MustGet(*cache, again);
  }
  EXPECT_EQ(fetched_, 1) << "only what was in the folder";
  EXPECT_EQ(BytesOf(Folder()), "no folder");
}

TEST_F(ChunkCacheTest, AFullDiskKeepsWhatIsInUseAndTheLatest) {
  const bool mounted = InSmallFileSystem(std::size_t{4} << 20, [&] {
    const auto cache = Open();
    const auto file = [](unsigned seed) { return SampleBytes(std::size_t{1} << 20, seed); };
    const auto pinned = MustGet(*cache, file(0));
    for (unsigned seed = 1; seed < 12; ++seed) MustGet(*cache, file(seed));
    EXPECT_EQ(fetched_, 12);
    MustGet(*cache, file(11));
    MustGet(*cache, file(0));
    EXPECT_EQ(fetched_, 12);
    const std::string large = SampleBytes(std::size_t{5} << 20, 1);
    const auto failed = cache->Get(ContentOfBytes(large), From(large), {});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kStorageFull);
    EXPECT_EQ(BytesOf(pinned->Path()), file(0));
  });
  if (!mounted) GTEST_SKIP() << "needs the right to mount a file system";
}

TEST_F(ChunkCacheTest, UsesTheFallbackIfTheDiskIsFull) {
  const bool mounted = InSmallFileSystem(std::size_t{8} << 20, [&] {
    const auto cache = OpenWithFallback();
    const auto pinned = MustGet(*cache, "pinned");
    const std::string large = SampleBytes(std::size_t{12} << 20, 1);
    const auto pin = MustGet(*cache, large);
    EXPECT_EQ(BytesOf(pinned->Path()), "pinned") << "stays where it is";
    fetched_ = 0;
    MustGet(*cache, large);
    EXPECT_EQ(fetched_, 0);
    EXPECT_TRUE(pin->Path().string().starts_with(Fallback().string()));
  });
  if (!mounted) GTEST_SKIP() << "needs the right to mount a file system";
}

}  // namespace
}  // namespace evenkeel::files
