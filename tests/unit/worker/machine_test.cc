#include "worker/machine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace evenkeel::worker {
namespace {

class MachineTest : public testing::Test {
 protected:
  MachineTest()
      : root_(std::filesystem::temp_directory_path() /
              ("evenkeel-memory-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(root_);
  }
  ~MachineTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  const std::filesystem::path root_;
};

TEST_F(MachineTest, IsTheMachinesMemoryWithoutAGroup) {
  Write("proc/meminfo", "MemTotal:         948000 kB\nMemFree: 1 kB\n");
  EXPECT_EQ(MemoryLimit(root_), 948000 * 1024);
}

TEST_F(MachineTest, IsTheSmallestOfTheGroupsAbove) {
  Write("proc/meminfo", "MemTotal: 8000000 kB\n");
  Write("proc/self/cgroup", "0::/pods/pod1/worker\n");
  Write("sys/fs/cgroup/pods/pod1/worker/memory.max", "max\n");
  Write("sys/fs/cgroup/pods/pod1/memory.max", "268435456\n");
  Write("sys/fs/cgroup/pods/memory.max", "4294967296\n");
  EXPECT_EQ(MemoryLimit(root_), 268435456);
}

TEST_F(MachineTest, IsThatOfTheRootInANamespaceOfItsOwn) {
  Write("proc/meminfo", "MemTotal: 8000000 kB\n");
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "134217728\n");
  EXPECT_EQ(MemoryLimit(root_), 134217728);
}

TEST_F(MachineTest, ABootIdIsReadAndBounded) {
  EXPECT_EQ(BootId(root_), "");
  Write("proc/sys/kernel/random/boot_id", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n");
  EXPECT_EQ(BootId(root_), "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  Write("proc/sys/kernel/random/boot_id", std::string(5000, 'x'));
  EXPECT_LE(BootId(root_).size(), 64U);
}

}  // namespace
}  // namespace evenkeel::worker
