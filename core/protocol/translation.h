#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/engine/messages.h"
#include "core/protocol/evenkeel.pb.h"

/// Converts between the engine's messages and their wire format. Pure functions, thread-safe.
/// Result bytes are moved, not copied.
namespace evenkeel::protocol {

/// The items for this message: one, or several for a large Report, which is split between its
/// ranges so that no item grows far beyond kBatchBytes (a single range may). Reasons are truncated
/// to kMaxTextBytes, durations to 0..kMaxDuration. An empty or negative range is a programming
/// error.
[[nodiscard]] std::vector<v1::WorkerItem> ToProto(engine::ToCoordinator message);
[[nodiscard]] std::vector<v1::CoordinatorItem> ToProto(engine::ToWorker message);

/// The messages of a batch, in order. The batch is not trusted: kInvalidInput names the broken
/// limit or rule in one line, and the whole batch is rejected. The engine checks whether ranges are
/// within the job.
[[nodiscard]] Result<std::vector<engine::ToCoordinator>> FromProto(v1::WorkerMessage batch);
[[nodiscard]] Result<std::vector<engine::ToWorker>> FromProto(v1::CoordinatorMessage batch);

}  // namespace evenkeel::protocol
