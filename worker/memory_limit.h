#pragma once

#include <cstdint>
#include <filesystem>

namespace evenkeel::worker {

/// What this process may use of the machine's memory in bytes: the smallest `memory.max` of its
/// control groups (version 2), or else the machine's memory. `root` is "/" but in tests.
[[nodiscard]] std::int64_t MemoryLimit(const std::filesystem::path& root = "/");

}  // namespace evenkeel::worker
