#include "workloads/stored_outputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/unit/workloads/job_run.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads {
namespace {

class StoredOutputsTest : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text = "x") {
    const auto file = folder_.Path() / "files" / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  TempFolder folder_;
  const StoredOutputs outputs_{folder_.Path()};
};

TEST_F(StoredOutputsTest, ATaskWithoutAFolderHasNoFiles) {
  EXPECT_TRUE(outputs_.TasksFrom(0)->tasks.Empty());
  EXPECT_EQ(*outputs_.FilesOf(0), std::nullopt);
  EXPECT_FALSE(outputs_.Open(0, "a").IsOpen());
  std::filesystem::create_directories(folder_.Path() / "files" / "0");
  EXPECT_EQ(*outputs_.FilesOf(0), std::vector<StoredFile>());
  Put("1", "no folder");
  EXPECT_EQ(*outputs_.FilesOf(1), std::nullopt);
}

TEST_F(StoredOutputsTest, AllRangesOfAListAreFound) {
  for (const model::TaskIndex task : {999'999, 0, 500, 501, 1'000'000, 3'000'000}) {
    Put(std::to_string(task) + "/a");
  }
  const auto stored = outputs_.TasksFrom(0);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->tasks.Ranges(),
            (std::vector<model::IndexRange>{{0, 1}, {500, 502}, {999'999, 1'000'000}}));
  EXPECT_EQ(stored->next, 1'000'000);
  EXPECT_EQ(outputs_.TasksFrom(1'000'001)->next, 3'000'000);
  EXPECT_EQ(outputs_.TasksFrom(3'000'000)->next, std::nullopt);
  EXPECT_TRUE(outputs_.TasksFrom(3'000'001)->tasks.Empty());
}

// Deeper than a process may have descriptors.
TEST_F(StoredOutputsTest, DeepFoldersAreListed) {
  Put("7/top");
  std::string path;
  for (int depth = 0; depth < 1'100; ++depth) {
    path += "d/";
    ASSERT_EQ(::mkdir((folder_.Path() / "files" / "7" / path).c_str(), 0777), 0);
  }
  path += "a";
  std::ofstream(folder_.Path() / "files" / "7" / path) << "x";
  const auto files = outputs_.FilesOf(7);
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(**files, (std::vector<StoredFile>{{path, 1}, {"top", 1}}));
  EXPECT_TRUE(outputs_.Open(7, path).IsOpen());
}

TEST_F(StoredOutputsTest, MoreFilesThanATaskMayHaveAreAnError) {
  for (std::size_t n = 0; n < kMaxOutputFiles; ++n) Put("0/" + std::to_string(n));
  EXPECT_EQ((*outputs_.FilesOf(0))->size(), kMaxOutputFiles);
  Put("0/more");
  const auto files = outputs_.FilesOf(0);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(files.error().message.find("files/0: has more than 1000 files"), std::string::npos);
}

TEST_F(StoredOutputsTest, AListIsThatOfOneRunOfTheTask) {
  for (const char* name : {"a", "b", "c", "d"}) {
    Put(std::string("0/") + name);
    Put(std::string(".staged/1/files/") + name, "longer");
  }
  const auto task = folder_.Path() / "files" / "0";
  const auto staged = folder_.Path() / "files" / ".staged" / "1" / "files";
  std::atomic<bool> over = false;
  std::thread writer([&] {
    while (!over) ::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, task.c_str(), RENAME_EXCHANGE);
  });
  for (int n = 0; n < 1'000; ++n) {
    const auto files = outputs_.FilesOf(0);
    if (!files) continue;  // replaced all the time
    EXPECT_EQ((*files)->size(), 4u);
    for (const StoredFile& file : **files) EXPECT_EQ(file.size_bytes, (*files)->front().size_bytes);
  }
  over = true;
  writer.join();
}

}  // namespace
}  // namespace evenkeel::workloads
