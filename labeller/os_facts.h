#pragma once

#include <optional>
#include <string>

#include "labeller/board_facts.h"
#include "labeller/rooted_files.h"

namespace evenkeel::labeller {

/// Bits of the host's programs, "32" or "64", from the ELF header of its shell or another program
/// that every system has; else the architecture of its package manager; else that of the kernel,
/// which may be wider than the programs.
[[nodiscard]] std::optional<Found> ReadOsBits(const RootedFiles& files, const std::string& kernel);

/// When the system was released, "2023-12-05": the day of the image in /etc/rpi-issue, else that of
/// the release that ID and VERSION_ID of os-release name, else VERSION_ID itself where that is a
/// day, as rolling releases have it.
[[nodiscard]] std::optional<Found> ReadOsRelease(const RootedFiles& files);

}  // namespace evenkeel::labeller
