#pragma once

namespace evenkeel::launcher {

/// Makes this process fit to start commands and to collect what they leave behind: 0, 1 and 2 are
/// open and all else is closed on exec, no signal is ignored, orphans become its children. SIGCHLD,
/// SIGTERM and SIGINT are blocked; returns a descriptor to read them from (signalfd(2)). To be
/// called again after fork.
[[nodiscard]] int PrepareProcess();

}  // namespace evenkeel::launcher
