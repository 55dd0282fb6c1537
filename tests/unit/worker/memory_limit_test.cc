#include "worker/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace evenkeel::worker {
namespace {

class MemoryLimitTest : public testing::Test {
 protected:
  MemoryLimitTest()
      : root_(std::filesystem::temp_directory_path() /
              ("evenkeel-memory-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(root_);
  }
  ~MemoryLimitTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  const std::filesystem::path root_;
};

TEST_F(MemoryLimitTest, IsTheMachinesMemoryWithoutAGroup) {
  Write("proc/meminfo", "MemTotal:         948000 kB\nMemFree: 1 kB\n");
  EXPECT_EQ(MemoryLimit(root_), 948000 * 1024);
}

TEST_F(MemoryLimitTest, IsTheSmallestOfTheGroupsAbove) {
  Write("proc/meminfo", "MemTotal: 8000000 kB\n");
  Write("proc/self/cgroup", "0::/pods/pod1/worker\n");
  Write("sys/fs/cgroup/pods/pod1/worker/memory.max", "max\n");
  Write("sys/fs/cgroup/pods/pod1/memory.max", "268435456\n");
  Write("sys/fs/cgroup/pods/memory.max", "4294967296\n");
  EXPECT_EQ(MemoryLimit(root_), 268435456);
}

TEST_F(MemoryLimitTest, IsThatOfTheRootInANamespaceOfItsOwn) {
  Write("proc/meminfo", "MemTotal: 8000000 kB\n");
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "134217728\n");
  EXPECT_EQ(MemoryLimit(root_), 134217728);
}

}  // namespace
}  // namespace evenkeel::worker
