#pragma once

namespace evenkeel::launcher {

/// Kills and collects what earlier commands have left behind, which all belongs to this process by
/// now: as process 1 everything else in the container, else its children, found in /proc. To be
/// called while no command runs. Waits for the end of the killed, within bounds.
void KillStrays();

}  // namespace evenkeel::launcher
