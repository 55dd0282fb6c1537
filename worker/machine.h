#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace evenkeel::worker {

/// The memory that this process may use, in bytes: the smallest `memory.max` of its control groups
/// (version 2), or else the machine's memory. `root` is "/" except in tests.
[[nodiscard]] std::int64_t MemoryLimit(const std::filesystem::path& root = "/");

/// The kernel's random identifier of this boot of the machine: it differs after a restart of the
/// node, and in a container it is the host's. Empty if it cannot be read. At most
/// engine::kMaxBootIdBytes bytes.
[[nodiscard]] std::string BootId(const std::filesystem::path& root = "/");

/// Lets this process, and those that it starts, have so many files open, if the system permits.
void AllowOpenFiles(std::uint64_t count);

/// Keeps the calling thread, one of `threads` that compute, on a core of its own, if this process
/// may use exactly so many cores: with fewer threads others most likely share the machine. True if
/// it did.
bool KeepOnCore(std::uint32_t thread, std::uint32_t threads);

}  // namespace evenkeel::worker
