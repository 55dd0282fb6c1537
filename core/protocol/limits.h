#pragma once

#include <chrono>
#include <cstdint>

#include "core/base/time.h"

/// Bounds of everything that crosses the wire. A peer that exceeds one is cut off.
namespace evenkeel::protocol {

/// Of one message on the stream, with all items in it.
inline constexpr std::int32_t kMaxMessageBytes = 16 * 1024 * 1024;
/// Items of one message.
inline constexpr int kMaxItems = 4096;
/// Of a reason or a name.
inline constexpr std::int32_t kMaxTextBytes = 64 * 1024;
/// Ranges, grants and failed tasks in one message, and results of unequal size in one message.
inline constexpr std::int64_t kMaxRanges = 1'000'000;
/// Failures of one task.
inline constexpr std::uint32_t kMaxAttempts = 1'000'000;
/// Longer is sent as this; far enough from the end of the scale to add to an Instant.
inline constexpr Duration kMaxDuration = std::chrono::hours(24 * 365 * 100);

/// Of a piece of a block; one that asks for more is refused.
inline constexpr std::int64_t kMaxPieceBytes = 4 * 1024 * 1024;
/// What is asked for at a time.
inline constexpr std::int64_t kPieceBytes = 1024 * 1024;

/// A sender starts a new item or message rather than let one grow beyond this.
inline constexpr std::int64_t kBatchBytes = 1024 * 1024;

}  // namespace evenkeel::protocol
