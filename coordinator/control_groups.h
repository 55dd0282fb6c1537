#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

/// Where this process stands in the control groups of the system.
namespace evenkeel::coordinator {

struct CgroupPlaces {
  /// Groups of version 2 that may get a child with limits, best first.
  std::vector<std::filesystem::path> unified;
  /// The own groups in the hierarchies of the controllers "cpu" and "memory" of version 1; empty
  /// if there is none.
  std::filesystem::path cpu_v1;
  std::filesystem::path memory_v1;
};

/// `membership` is the text of /proc/self/cgroup, `mounts` of /proc/self/mountinfo.
[[nodiscard]] CgroupPlaces FindCgroupPlaces(const std::string& membership,
                                            const std::string& mounts);

/// Limits of the processes of one worker together; at least one is set.
struct GroupLimits {
  std::optional<double> cpu_share{};  ///< of one core, at least kLeastShare; above 1: of several
  std::optional<std::int64_t> memory_bytes{};  ///< > 0; swap is not used beyond it

  static constexpr double kLeastShare = 0.001;
};

/// Control groups of their own that hold a worker and its tasks to limits, so that one machine can
/// stand in for several boards. Owns the groups: they are removed with this object, which must
/// outlive the processes in them.
class ControlGroups {
 public:
  /// Tries version 2 of control groups (in the nearest group, from this process's own upwards, that
  /// hands out what is limited and may be written), then version 1 (below this process's own).
  /// Groups that killed runs left there are removed. kUnavailable: not permitted here; the message
  /// says why.
  [[nodiscard]] static Result<ControlGroups> Create(const std::string& name,
                                                    const GroupLimits& limits);
  ~ControlGroups();
  ControlGroups(ControlGroups&& other) noexcept;
  ControlGroups& operator=(ControlGroups&& other) noexcept;

  /// Moves a running process, with all its threads, into the groups.
  [[nodiscard]] Result<void> Enter(pid_t process) const;
  /// One group, or with version 1 of control groups one for each limit.
  [[nodiscard]] const std::vector<std::filesystem::path>& Folders() const { return groups_; }

 private:
  explicit ControlGroups(std::vector<std::filesystem::path> groups) : groups_(std::move(groups)) {}
  void Remove();

  std::vector<std::filesystem::path> groups_;  // empty once moved from
};

}  // namespace evenkeel::coordinator
