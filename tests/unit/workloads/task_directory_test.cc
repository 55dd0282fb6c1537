#include "workloads/task_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "launcher/task_directory.h"
#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

constexpr uid_t kOther = 12'345;
constexpr mode_t kModeBits = 0777;

struct stat StatusOf(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

class TaskDirectoryTest : public testing::Test {
 protected:
  InputFile Source(const std::string& name, const std::string& text) {
    const auto source = folder_.Path() / ("source-" + std::to_string(++sources_));
    std::ofstream(source, std::ios::binary) << text;
    return {name, source, static_cast<std::int64_t>(text.size())};
  }

  [[nodiscard]] std::filesystem::path Place() const { return folder_.Path() / "tasks"; }

  std::unique_ptr<TaskDirectories> OpenOrFail() {
    auto directories = TaskDirectories::Open(Place());
    EXPECT_TRUE(directories) << directories.error().message;
    return std::move(*directories);
  }

  TempFolder folder_;
  int sources_ = 0;
};

TEST_F(TaskDirectoryTest, HasExactlyTheInputsReadOnly) {
  const auto directories = OpenOrFail();
  const std::vector<InputFile> inputs{Source("a", "one"), Source("model/deep/b.bin", "two"),
                                      Source("model/c", "")};
  ::chmod(inputs[2].source.c_str(), 0700);
  const auto made = directories->Make(inputs, ::geteuid(), {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(ContentOf(*made / "a"), "one");
  EXPECT_EQ(ContentOf(*made / "model/deep/b.bin"), "two");
  EXPECT_EQ(StatusOf(*made / "a").st_mode & kModeBits, 0444U);
  EXPECT_EQ(StatusOf(*made / "model/c").st_mode & kModeBits, 0555U);
  EXPECT_EQ(StatusOf(*made).st_mode & kModeBits, 0700U);
  EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(*made), {}), 5);
  // Not the same files.
  EXPECT_EQ(StatusOf(inputs[0].source).st_nlink, 1U);
}

TEST_F(TaskDirectoryTest, AnotherUserGetsLinksAndFoldersToWriteInto) {
  const auto directories = OpenOrFail();
  const InputFile input = Source("folder/a", "one");
  const auto made = directories->Make({&input, 1}, kOther, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(StatusOf(*made / "folder/a").st_ino, StatusOf(input.source).st_ino);
  EXPECT_EQ(StatusOf(*made).st_mode & kModeBits, 0777U);
  EXPECT_EQ(StatusOf(*made / "folder").st_mode & kModeBits, 0777U);
}

TEST_F(TaskDirectoryTest, RootGetsCopies) {
  const auto directories = OpenOrFail();
  const InputFile input = Source("a", "one");
  const auto made = directories->Make({&input, 1}, 0, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(StatusOf(*made / "a").st_ino, StatusOf(input.source).st_ino);
}

TEST_F(TaskDirectoryTest, AnInputThatIsNotWhatItWasFailsTheTask) {
  const auto directories = OpenOrFail();
  InputFile input = Source("pictures/a", "one");
  ++input.size_bytes;
  auto made = directories->Make({&input, 1}, ::geteuid(), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(made.error().message, "input pictures/a: changed while the job ran");
  std::filesystem::remove(input.source);
  made = directories->Make({&input, 1}, ::geteuid(), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "input pictures/a: there is no such file");
  // The directories that could not be filled have been removed.
  EXPECT_TRUE(std::filesystem::is_empty(Place()));
  EXPECT_FALSE(directories->TakeLeftover());
}

TEST_F(TaskDirectoryTest, StopsWhenTold) {
  const auto directories = OpenOrFail();
  const InputFile input = Source("a", "one");
  std::stop_source stop;
  stop.request_stop();
  const auto made = directories->Make({&input, 1}, ::geteuid(), stop.get_token());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(std::filesystem::is_empty(Place()));
}

TEST_F(TaskDirectoryTest, WhatAnEarlierProcessHasLeftIsFound) {
  std::filesystem::path left;
  {
    const auto directories = OpenOrFail();
    const InputFile input = Source("a/b", "one");
    left = *directories->Make({&input, 1}, ::geteuid(), {});
  }
  const auto directories = OpenOrFail();
  EXPECT_EQ(directories->TakeLeftover(), left);
  EXPECT_FALSE(directories->TakeLeftover());
  EXPECT_EQ(launcher::RemoveFolder(left.native(), std::chrono::seconds(60)), 0);
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(TaskDirectoryTest, APlaceThatIsNoFolderIsOneLine) {
  std::ofstream(Place()) << "x";
  const auto directories = TaskDirectories::Open(Place());
  ASSERT_FALSE(directories);
  EXPECT_EQ(directories.error().code, ErrorCode::kUnavailable);
}

TEST_F(TaskDirectoryTest, TwoProcessesMayRemoveTheSame) {
  for (int n = 0; n < 300; ++n) {
    const auto folder = Place() / std::to_string(n % 10) / std::to_string(n) / "deep" / "er";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "file") << "x";
  }
  std::vector<std::thread> threads;
  for (int n = 0; n < 3; ++n) {
    threads.emplace_back([this] {
      EXPECT_EQ(launcher::RemoveFolder(Place().native(), std::chrono::seconds(60)), 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(std::filesystem::exists(Place()));
}

TEST_F(TaskDirectoryTest, AProcessThatGoesOnWritingIsOvertaken) {
  std::filesystem::create_directories(Place());
  const std::jthread writer([this](const std::stop_token& stop) {
    for (int n = 0; n < 100'000 && !stop.stop_requested(); ++n) {
      std::ofstream(Place() / std::to_string(n)) << "x";
    }
  });
  EXPECT_EQ(launcher::RemoveFolder(Place().native(), std::chrono::seconds(60)), 0);
}

TEST_F(TaskDirectoryTest, ARemovalThatTakesTooLongEnds) {
  std::filesystem::create_directories(Place() / "a/b");
  EXPECT_EQ(launcher::RemoveFolder(Place().native(), std::chrono::seconds(-1)), ETIMEDOUT);
}

}  // namespace
}  // namespace evenkeel::workloads
