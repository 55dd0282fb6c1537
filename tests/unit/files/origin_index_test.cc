#include "files/origin_index.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <thread>
#include <vector>

#include "tests/unit/files/file_samples.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::files {
namespace {

class OriginIndexTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path Inputs() const { return folder_.Path() / "inputs"; }
  void Write(const std::string& path, const std::string& bytes) const {
    WriteFile(Inputs() / path, bytes);
  }
  std::string ErrorOf(const std::string& path) {
    const auto content = index_.ContentOf(path);
    if (content) return "none";
    EXPECT_EQ(content.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(content.error().message.find('\n'), std::string::npos);
    return content.error().message;
  }

  report::TemporaryFolder folder_;
  OriginIndex index_{{Inputs()}};
};

TEST_F(OriginIndexTest, KnowsTheChunksOfFiles) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, static_cast<std::size_t>(kChunkBytes), kLarge}) {
    const std::string bytes = SampleBytes(size, 1);
    const std::string path = "in/" + std::to_string(size);
    Write(path, bytes);
    const auto content = index_.ContentOf(path);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(*content, ContentOfBytes(bytes));
    EXPECT_EQ(index_.ContentOf(path), *content);
    for (std::size_t place = 0; place < content->chunks.size(); ++place) {
      const auto read = index_.Read(path, place, content->chunks[place]);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->ToString(), ChunkOf(bytes, place));
    }
  }
}

TEST_F(OriginIndexTest, ManyThreadsReadAFileOnce) {
  const std::string bytes = SampleBytes(kLarge, 2);
  Write("a", bytes);
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n) {
    threads.emplace_back([&] { EXPECT_EQ(index_.ContentOf("a"), ContentOfBytes(bytes)); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(OriginIndexTest, NoticesFilesThatChange) {
  Write("a", "first");
  Write("b", "first");
  Write("c", SampleBytes(10, 1));
  const auto a = index_.ContentOf("a");
  const auto b = index_.ContentOf("b");
  const auto c = index_.ContentOf("c");
  ASSERT_TRUE(a && b && c);
  Write("a", "other bytes");
  EXPECT_EQ(ErrorOf("a"), "input a: changed while the job ran");
  const auto read = index_.Read("a", 0, a->chunks.front());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "input a: changed while the job ran");

  Write("other", "first");
  std::filesystem::rename(Inputs() / "other", Inputs() / "b");
  EXPECT_EQ(ErrorOf("b"), "input b: changed while the job ran") << "another file of the same bytes";

  // The same size and time of modification, as after a write through a memory map.
  struct stat status {};
  ASSERT_EQ(::stat((Inputs() / "c").c_str(), &status), 0);
  Write("c", SampleBytes(10, 2));
  const struct timespec times[] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, (Inputs() / "c").c_str(), times, 0), 0);
  EXPECT_FALSE(index_.Read("c", 0, c->chunks.front()));

  std::filesystem::remove(Inputs() / "c");
  EXPECT_EQ(ErrorOf("c"), "input c: there is no such file");
}

TEST_F(OriginIndexTest, RefusesWhatIsNoFileOfTheFolder) {
  Write("a", "bytes");
  Write("folder/b", "bytes");
  WriteFile(folder_.Path() / "outside", "secret");
  std::filesystem::create_symlink(folder_.Path() / "outside", Inputs() / "absolute");
  std::filesystem::create_symlink("../outside", Inputs() / "up");
  std::filesystem::create_symlink("folder/b", Inputs() / "within");
  std::filesystem::create_symlink("loop", Inputs() / "loop");
  ASSERT_EQ(::mkfifo((Inputs() / "pipe").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = Inputs() / "socket";
  ASSERT_LT(socket_path.size(), sizeof address.sun_path);
  socket_path.copy(address.sun_path, socket_path.size());
  const platform::FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM, 0));
  const void* const any = &address;
  ASSERT_EQ(::bind(listener.Get(), static_cast<const sockaddr*>(any), sizeof address), 0);

  EXPECT_EQ(ErrorOf("within"), "none");
  EXPECT_EQ(ErrorOf("missing"), "input missing: there is no such file");
  EXPECT_EQ(ErrorOf("a/below"), "input a/below: there is no such file");
  for (const char* const path : {"../outside", "folder/../../outside", "absolute", "up"}) {
    EXPECT_EQ(ErrorOf(path),
              std::string("input ") + path + ": leads out of the folder of the job's inputs");
  }
  EXPECT_NE(ErrorOf((folder_.Path() / "outside").string()), "none");
  EXPECT_NE(ErrorOf("loop"), "none");
  EXPECT_NE(ErrorOf("/dev/zero"), "none");
  for (const char* const path : {"folder", "pipe"}) {
    EXPECT_EQ(ErrorOf(path), std::string("input ") + path + ": is no ordinary file");
  }
  EXPECT_NE(ErrorOf("socket"), "none");
  EXPECT_NE(ErrorOf("a\nb"), "none");
  EXPECT_NE(ErrorOf(std::string("a\0b", 3)), "none");
  EXPECT_NE(ErrorOf(""), "none");
  EXPECT_NE(ErrorOf(std::string(256, 'n')), "none");
  const std::string longest(255, 'n');
  Write(longest, "bytes");
  EXPECT_EQ(ErrorOf(longest), "none");
}

TEST_F(OriginIndexTest, BoundsItsMemory) {
  OriginIndex small({Inputs(), 3, 1000});
  for (int n = 0; n < 4; ++n) Write(std::to_string(n), "file " + std::to_string(n));
  for (int round = 0; round < 2; ++round) {
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(small.ContentOf(std::to_string(n)));
  }
  const auto fourth = small.ContentOf("3");
  ASSERT_FALSE(fourth);
  EXPECT_EQ(fourth.error().message, "input 3: the job has more than 3 different input files");

  // Versions are kept when digests are forgotten.
  OriginIndex forgetful({Inputs(), 3, 0});
  ASSERT_TRUE(forgetful.ContentOf("0"));
  Write("0", "other bytes");
  EXPECT_FALSE(forgetful.ContentOf("0"));
}

TEST_F(OriginIndexTest, ChecksTheChunkThatIsAskedFor) {
  Write("a", "bytes");
  const auto content = index_.ContentOf("a");
  ASSERT_TRUE(content);
  EXPECT_FALSE(index_.Read("a", 1, content->chunks.front()));
  EXPECT_FALSE(index_.Read("a", std::size_t{1} << 60, content->chunks.front()));
  EXPECT_FALSE(index_.Read("a", 0, protocol::Sha256Of("guessed")));
}

}  // namespace
}  // namespace evenkeel::files
