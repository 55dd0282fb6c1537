#pragma once

#include <cstdint>
#include <string>

namespace evenkeel::launcher {

/// Counts the processes of a control group that the kernel has killed for lack of memory:
/// `oom_kill` of memory.events (version 2 of control groups) or of memory.oom_control (version 1,
/// since Linux 4.13). Not thread-safe.
class MemoryKills {
 public:
  /// Opens the file of this process's own group, which is found once: commands start often. `root`
  /// is "" except in tests.
  explicit MemoryKills(const std::string& root = "");
  ~MemoryKills();
  MemoryKills(const MemoryKills&) = delete;
  MemoryKills& operator=(const MemoryKills&) = delete;

  /// The number so far; 0 if the system does not say.
  [[nodiscard]] std::int64_t Count() const;

 private:
  int file_ = -1;  // -1: none
};

}  // namespace evenkeel::launcher
