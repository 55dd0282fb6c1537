#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Where this process stands in the control groups of the system.
namespace evenkeel::coordinator {

struct CgroupPlaces {
  /// Groups of version 2 that may get a child with a CPU quota, best first.
  std::vector<std::filesystem::path> unified;
  /// The own group in the hierarchy of the controller "cpu" of version 1; empty if there is none.
  std::filesystem::path cpu_v1;
};

/// `membership` is the text of /proc/self/cgroup, `mounts` of /proc/self/mountinfo.
[[nodiscard]] CgroupPlaces FindCgroupPlaces(const std::string& membership,
                                            const std::string& mounts);

}  // namespace evenkeel::coordinator
