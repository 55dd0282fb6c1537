#pragma once

#include <cstddef>

namespace evenkeel {

/// A large page of the system: what it can look up as one place in memory. Kernels that walk over
/// megabytes in ordinary pages of 4 KiB wait for such look-ups a twentieth of their time.
inline constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;

/// How much memory TakeMemory() takes for `bytes`: whole large pages where they waste at most an
/// eighth, else just as much.
[[nodiscard]] std::size_t MemoryTakenFor(std::size_t bytes);

/// Memory for `bytes`, aligned to cache lines, in large pages where they fit (MemoryTakenFor) and
/// the system has them. Throws std::bad_alloc. Thread-safe.
[[nodiscard]] char* TakeMemory(std::size_t bytes);

/// Gives it back; `bytes` as it was taken. Up to 16 MiB in large pages are kept for whoever takes
/// as much next, instead of having the system clear them again. Thread-safe.
void GiveMemory(char* memory, std::size_t bytes);

}  // namespace evenkeel
