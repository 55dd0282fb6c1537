#include "platform/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace evenkeel::platform {
namespace {

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "evenkeel-files-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path In(const std::string& name) const { return folder_ / name; }
  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(In(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string Text(const std::string& name) const {
    std::ifstream file(In(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::ptrdiff_t Count() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }
  void ExpectRefused(const Result<std::string>& read, const std::string& name,
                     const std::string& reason) const {
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(read.error().message, In(name).string() + ": " + reason);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Files, ReadsAFileUpToTheBound) {
  const std::string text("a\0b\n", 4);
  Put("file", text);
  EXPECT_EQ(ReadRegularFile(In("file"), 4), text);
  ExpectRefused(ReadRegularFile(In("file"), 3), "file", "must have at most 3 bytes, has 4");
  Put("empty", "");
  EXPECT_EQ(ReadRegularFile(In("empty"), 0), "");
  EXPECT_EQ(ReadInputFile(In("file")), text);
}

TEST_F(Files, ReadsFilesWhoseSizeIsNotKnown) {
  const auto status = ReadRegularFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_NE(status->find("Pid:"), std::string::npos);
  ExpectRefused(ReadRegularFile("/proc/self/status", 10), "/proc/self/status",
                "must have at most 10 bytes");
}

TEST_F(Files, SaysWhyAFileCannotBeRead) {
  ExpectRefused(ReadRegularFile(In("none"), 10), "none", "there is no such file");
  ExpectRefused(ReadInputFile(In("none")), "none", "there is no such file");
  std::filesystem::create_directory(In("folder"));
  ExpectRefused(ReadRegularFile(In("folder"), 10), "folder", "is a folder, must be a file");
  ExpectRefused(ReadInputFile(In("folder")), "folder", "is a folder, must be a file");
}

TEST_F(Files, ARegularFileIsNoPipe) {
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  // Without a writer, opening it would wait for ever.
  ExpectRefused(ReadRegularFile(In("pipe"), 10), "pipe", "must be a regular file");
}

TEST_F(Files, ReadsAPipeToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  ASSERT_EQ(write(writer.Get(), "abc", 3), 3);
  EXPECT_EQ(ReadInputFile("/dev/null"), "");
  writer.Reset();
  EXPECT_EQ(ReadToEnd(reader, 3), "abc");
}

TEST_F(Files, AnAtomicFileAppearsAtCommit) {
  auto file = AtomicFile::Create(In("out"));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->Append("one "));
  ASSERT_TRUE(file->Append("two"));
  EXPECT_FALSE(std::filesystem::exists(In("out")));
  EXPECT_TRUE(std::filesystem::exists(In(".out.partial")));
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(Text("out"), "one two");
  EXPECT_EQ(Count(), 1) << "nothing else is left";
}

TEST_F(Files, AnAtomicFileReplacesTheOldOneOnlyAtCommit) {
  ASSERT_TRUE(WriteFileAtomically(In("out"), "old"));
  {
    auto file = AtomicFile::Create(In("out"));
    ASSERT_TRUE(file && file->Append("half"));
  }
  EXPECT_EQ(Text("out"), "old");
  EXPECT_EQ(Count(), 1) << "without a commit the new file is removed";
  ASSERT_TRUE(WriteFileAtomically(In("out"), "new"));
  EXPECT_EQ(Text("out"), "new");
}

TEST_F(Files, AMovedAtomicFileIsOneFile) {
  std::optional<AtomicFile> kept;
  {
    auto file = AtomicFile::Create(In("out"));
    ASSERT_TRUE(file && file->Append("text"));
    kept.emplace(std::move(*file));
  }
  ASSERT_TRUE(kept->Commit());
  EXPECT_EQ(Text("out"), "text");
}

TEST_F(Files, LongTextsPassTheBuffer) {
  auto file = AtomicFile::Create(In("out"));
  ASSERT_TRUE(file);
  std::string want;
  for (const std::size_t size : {std::size_t{1}, std::size_t{1} << 18, std::size_t{1} << 19,
                                 std::size_t{3}, std::size_t{200'000}, std::size_t{200'000}}) {
    const std::string piece(size, static_cast<char>('a' + want.size() % 26));
    ASSERT_TRUE(file->Append(piece));
    want += piece;
  }
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(Text("out"), want);
}

TEST_F(Files, ErrorsOfWritingNameThePath) {
  const auto failed = WriteFileAtomically(In("missing") / "file", "x");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(failed.error().message,
            In("missing/file").string() + ": cannot be written: No such file or directory");
}

TEST_F(Files, AFullDiskIsToldApartAndLeavesTheOldFile) {
  ASSERT_TRUE(WriteFileAtomically(In("out"), "old"));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = WriteFileAtomically(In("out"), std::string(2000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(Text("out"), "old");
  EXPECT_EQ(Count(), 1);
}

TEST_F(Files, FlushesFilesAndFolders) {
  Put("file", "text");
  EXPECT_EQ(SyncPath(In("file")), 0);
  EXPECT_EQ(SyncPath(In("")), 0);
  EXPECT_EQ(SyncPath(In("none")), ENOENT);
}

TEST(FileDescriptorTest, ClosesWhatItOwnsOnce) {
  FileDescriptor one(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(one.IsOpen());
  const int number = one.Get();
  FileDescriptor other(std::move(one));
  EXPECT_EQ(other.Get(), number);
  other.Reset();
  EXPECT_FALSE(other.IsOpen());
  EXPECT_EQ(fcntl(number, F_GETFD), -1) << "closed";
}

}  // namespace
}  // namespace evenkeel::platform
