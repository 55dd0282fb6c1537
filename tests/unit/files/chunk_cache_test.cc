#include "files/chunk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <future>
#include <thread>
#include <vector>

#include "tests/unit/files/file_samples.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::files {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 30;

class ChunkCacheTest : public testing::Test {
 protected:
  std::unique_ptr<ChunkCache> Open(std::int64_t limit = kPlenty, bool verify = true) const {
    auto cache = ChunkCache::Open({Folder(), limit, verify});
    EXPECT_TRUE(cache) << cache.error().message;
    return std::move(*cache);
  }
  [[nodiscard]] std::filesystem::path Folder() const { return folder_.Path() / "cache"; }

  /// Counts the chunks that it provides.
  ChunkCache::Fetch From(const std::string& bytes) {
    return [this, &bytes](std::size_t place) -> Result<std::string> {
      ++fetched_;
      return ChunkOf(bytes, place);
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
  EXPECT_EQ(cache->Find(protocol::Sha256Of(ChunkOf(first, 0))), ChunkOf(first, 0));
  EXPECT_EQ(cache->Find(protocol::Sha256Of("none")), std::nullopt);
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

TEST_F(ChunkCacheTest, GoesOnWhereAFetchHasFailed) {
  const auto cache = Open();
  const std::string bytes = SampleBytes(kLarge, 1);
  const auto broken = [&](std::size_t place) -> Result<std::string> {
    if (place == 2) return Fail(ErrorCode::kUnavailable, "the cable was pulled");
    return From(bytes)(place);
  };
  const auto failed = cache->Get(ContentOfBytes(bytes), broken, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the cable was pulled");
  fetched_ = 0;
  MustGet(*cache, bytes);
  EXPECT_EQ(fetched_, 1);
}

TEST_F(ChunkCacheTest, RefusesWrongBytes) {
  const auto cache = Open();
  const auto lie = [](std::size_t) -> Result<std::string> { return "lie"; };
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
    EXPECT_EQ(cache->Find(protocol::Sha256Of(bytes)), std::nullopt);
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
  EXPECT_EQ(cache->Find(protocol::Sha256Of("truth")), std::nullopt) << "others are sent no lies";
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

TEST_F(ChunkCacheTest, AFileMayNeedNearlyAllOfTheCache) {
  const std::string bytes = SampleBytes(kLarge, 1);
  const auto cache = Open(static_cast<std::int64_t>(kLarge) + kChunkBytes);
  MustGet(*cache, bytes);
  EXPECT_LE(cache->Bytes(), static_cast<std::int64_t>(kLarge) + kChunkBytes);
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
}

TEST_F(ChunkCacheTest, WaitsEndWithTheTask) {
  const auto cache = Open();
  std::promise<void> began;
  std::promise<void> may_end;
  std::thread slow([&] {
    const auto fetch = [&](std::size_t) -> Result<std::string> {
      began.set_value();
      may_end.get_future().wait();
      return "x";
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

}  // namespace
}  // namespace evenkeel::files
