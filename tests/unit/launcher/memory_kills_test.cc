#include "launcher/memory_kills.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace evenkeel::launcher {
namespace {

class MemoryKillsTest : public testing::Test {
 protected:
  MemoryKillsTest() { std::filesystem::create_directories(root_); }
  ~MemoryKillsTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) const {
    const auto path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::int64_t Count() const { return MemoryKills(root_.string()).Count(); }

  const std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("memory-kills-") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(MemoryKillsTest, OfTheOwnGroupOfVersionTwo) {
  Write("proc/self/cgroup", "0::/user.slice/job\n");
  Write("sys/fs/cgroup/user.slice/job/memory.events",
        "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n");
  Write("sys/fs/cgroup/memory.events", "oom_kill 9\n");
  EXPECT_EQ(Count(), 2);
}

TEST_F(MemoryKillsTest, OfAContainerThatSeesItsGroupAsTheRoot) {
  Write("proc/self/cgroup", "0::/../../kubepods/pod1\n");
  Write("sys/fs/cgroup/memory.events", "oom 1\noom_kill 1\n");
  EXPECT_EQ(Count(), 1);
}

TEST_F(MemoryKillsTest, OfTheOwnGroupOfVersionOne) {
  Write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:hugetlb,memory:/b\n0::/\n");
  Write("sys/fs/cgroup/memory/b/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  EXPECT_EQ(Count(), 4);
}

TEST_F(MemoryKillsTest, OfOneObjectRise) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.events", "oom_kill 1\n");
  const MemoryKills kills(root_.string());
  EXPECT_EQ(kills.Count(), 1);
  Write("sys/fs/cgroup/memory.events", "oom_kill 3\n");
  EXPECT_EQ(kills.Count(), 3);
}

TEST_F(MemoryKillsTest, AreZeroWhereTheSystemDoesNotSay) {
  EXPECT_EQ(Count(), 0);
  Write("proc/self/cgroup", "nonsense\n");
  Write("sys/fs/cgroup/memory.events", "oom_kill many\n");
  EXPECT_EQ(Count(), 0);
}

}  // namespace
}  // namespace evenkeel::launcher
