#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"

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

/// A control group of its own that holds processes to a share of a core, so that one machine can
/// stand in for several slow boards. Where the system does not permit it, workers pause
/// instead (--duty-cycle). Owns the group: it is removed with this object, which must outlive the
/// processes in it.
class CpuQuota {
 public:
  /// `share` of one core, at least kLeastShare; above 1: of several. Tries version 2 of control
  /// groups (in the nearest group, from this process's own upwards, that hands out CPU and may be
  /// written), then version 1 (below this process's own). Groups that killed runs left there are
  /// removed. kUnavailable: not permitted here; the message says why.
  [[nodiscard]] static Result<CpuQuota> Create(const std::string& name, double share);
  ~CpuQuota();
  CpuQuota(CpuQuota&& other) noexcept;
  CpuQuota& operator=(CpuQuota&& other) noexcept;

  static constexpr double kLeastShare = 0.001;

  /// Moves a running process, with all its threads, into the group.
  [[nodiscard]] Result<void> Enter(pid_t process) const;
  /// A child enters by writing "0" into this file between fork and exec.
  [[nodiscard]] std::filesystem::path EntryFile() const { return group_ / "cgroup.procs"; }

 private:
  explicit CpuQuota(std::filesystem::path group) : group_(std::move(group)) {}
  void Remove();

  std::filesystem::path group_;  // empty once moved from
};

}  // namespace evenkeel::coordinator
