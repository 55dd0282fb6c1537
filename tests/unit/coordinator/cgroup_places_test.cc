#include <gtest/gtest.h>

#include "coordinator/control_groups.h"

namespace evenkeel::coordinator {
namespace {

using std::filesystem::path;

TEST(CgroupPlaces, VersionTwoOffersTheOwnGroupAndThoseAboveIt) {
  const auto places = FindCgroupPlaces(
      "0::/user.slice/app.slice\n",
      "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  const std::vector<path> want = {"/sys/fs/cgroup/user.slice/app.slice",
                                  "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"};
  EXPECT_EQ(places.unified, want);
  EXPECT_TRUE(places.cpu_v1.empty());
}

TEST(CgroupPlaces, VersionOneIsTheOwnGroupOfEachController) {
  const auto places = FindCgroupPlaces(
      "6:memory:/jobs/b\n5:cpuset:/other\n4:cpu,cpuacct:/jobs/a\n",
      "38 24 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "36 24 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "37 24 0:32 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  EXPECT_EQ(places.cpu_v1, path("/sys/fs/cgroup/cpu,cpuacct/jobs/a"));
  EXPECT_EQ(places.memory_v1, path("/sys/fs/cgroup/memory/jobs/b"));
  EXPECT_TRUE(places.unified.empty());
}

TEST(CgroupPlaces, AContainerSeesItsGroupAsTheRootOfTheMount) {
  const auto places =
      FindCgroupPlaces("4:cpu:/docker/0123\n",
                       "37 24 0:32 /docker/0123 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  EXPECT_EQ(places.cpu_v1, path("/sys/fs/cgroup/cpu"));
}

TEST(CgroupPlaces, AGroupOutsideOfTheMountIsNoPlace) {
  const auto places =
      FindCgroupPlaces("4:cpu:/elsewhere\n",
                       "37 24 0:32 /docker/0123 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  EXPECT_TRUE(places.cpu_v1.empty());
}

TEST(CgroupPlaces, WithoutControlGroupsThereIsNone) {
  const auto places = FindCgroupPlaces("", "24 1 8:1 / / rw - ext4 /dev/sda rw\n");
  EXPECT_TRUE(places.unified.empty());
  EXPECT_TRUE(places.cpu_v1.empty());
}

}  // namespace
}  // namespace evenkeel::coordinator
