#pragma once

#include <optional>

#include "labeller/board_facts.h"
#include "labeller/rooted_files.h"

namespace evenkeel::labeller {

/// Size, in GB (10^9 bytes), of the disk or card that holds the host's root file system; where that
/// is unknown (overlays, disks in clusters), of the card mmcblk0.
[[nodiscard]] std::optional<Found> ReadRootDisk(const RootedFiles& files);

}  // namespace evenkeel::labeller
