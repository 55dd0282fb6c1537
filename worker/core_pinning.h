#pragma once

#include <cstdint>

namespace evenkeel::worker {

/// Keeps the calling thread, one of `threads` that compute, on a core of its own, if this process
/// may use just as many cores: with fewer threads others most likely share the machine. True if it
/// did.
bool KeepOnCore(std::uint32_t thread, std::uint32_t threads);

}  // namespace evenkeel::worker
