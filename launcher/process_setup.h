#pragma once

namespace evenkeel::launcher {

/// Makes this process fit to start commands and to collect what they leave behind: the numbers of
/// descriptors that commands get are open and all others are closed on exec, no signal is ignored,
/// orphans become its children. SIGPIPE is blocked, and so are SIGCHLD, SIGTERM and SIGINT; returns
/// a descriptor to read these three from (signalfd(2)). To be called again after fork.
[[nodiscard]] int PrepareProcess();

}  // namespace evenkeel::launcher
