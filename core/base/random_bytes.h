#pragma once

#include <span>

#include "core/base/error.h"

namespace evenkeel {

/// Fills `bytes` with unpredictable random bytes from getrandom(2). Waits until the
/// kernel has seeded its generator. kUnavailable if the kernel refuses. Thread-safe.
[[nodiscard]] Result<void> FillWithRandomBytes(std::span<char> bytes);

}  // namespace evenkeel
