#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/base/time.h"

/// Limits of messages on the wire. A peer that exceeds one is disconnected.
namespace evenkeel::protocol {

/// Bytes of one message on the stream, with all its items.
inline constexpr std::int32_t kMaxMessageBytes = 16 * 1024 * 1024;
/// Items of one message.
inline constexpr int kMaxItems = 4096;
/// Bytes of the incarnation in Hello.
inline constexpr std::size_t kMaxIncarnationBytes = 64;
/// Bytes of the token in Hello.
inline constexpr std::size_t kMaxTokenBytes = 4096;
/// Bytes of a reason.
inline constexpr std::int32_t kMaxTextBytes = 64 * 1024;
/// Ranges, grants and failed tasks in one message, and results of unequal size in one message.
inline constexpr std::int64_t kMaxRanges = 1'000'000;
/// Failures of one task.
inline constexpr std::uint32_t kMaxAttempts = 1'000'000;
/// Longer durations are sent as this one. Small enough to add to an Instant without overflow.
inline constexpr Duration kMaxDuration = std::chrono::hours(24 * 365 * 100);

/// Bytes of a piece of a block or of an output file; requests with or for more are rejected.
inline constexpr std::int64_t kMaxPieceBytes = 4 * 1024 * 1024;
/// Bytes that a client requests or sends at a time.
inline constexpr std::int64_t kPieceBytes = 1024 * 1024;

/// Bytes of the file list of a task. 10,000 files of one chunk and with usual paths have 2 MB.
inline constexpr std::size_t kMaxFileListBytes = 15 * 1024 * 1024;

/// Files of a cache that a worker announces.
inline constexpr std::size_t kMaxAnnouncedFiles = 65'536;

/// Bytes of the ID of an upload of output files.
inline constexpr std::size_t kUploadIdBytes = 16;
/// Bytes of all pieces of output files that a server holds; further ones are refused for the
/// moment.
inline constexpr std::size_t kMaxWaitingStoreBytes = 64 * 1024 * 1024;

/// A sender starts a new item or message before one grows beyond this many bytes.
inline constexpr std::int64_t kBatchBytes = 1024 * 1024;

}  // namespace evenkeel::protocol
