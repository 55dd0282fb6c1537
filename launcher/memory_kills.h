#pragma once

#include <cstdint>

namespace evenkeel::launcher {

/// Number of processes of this process's own control group that the kernel has killed for lack of
/// memory: `oom_kill` of memory.events (version 2 of control groups) or of memory.oom_control
/// (version 1, since Linux 4.13). 0 if neither can be read. `root` is "" except in tests.
[[nodiscard]] std::int64_t CountMemoryKills(const char* root = "");

}  // namespace evenkeel::launcher
