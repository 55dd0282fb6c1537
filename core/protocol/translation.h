#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/engine/messages.h"
#include "core/protocol/evenkeel.pb.h"

/// Between the engine's messages and their wire form. Pure functions, thread-safe. Result bytes are
/// moved, not copied.
namespace evenkeel::protocol {

/// The items that carry this message: one, except that a large Report is cut between its ranges, so
/// that no item grows far beyond kBatchBytes (a single range may). Reasons are cut to
/// kMaxTextBytes, durations to 0..kMaxDuration. An empty or negative range is a programmer error.
[[nodiscard]] std::vector<v1::WorkerItem> ToProto(engine::ToCoordinator message);
[[nodiscard]] std::vector<v1::CoordinatorItem> ToProto(engine::ToWorker message);

/// The messages of a batch, in order. Nothing in it is trusted: kInvalidInput says in one line
/// which bound or rule was broken, and then none of the batch may be used. Whether ranges lie
/// within the job is for the engine to check.
[[nodiscard]] Result<std::vector<engine::ToCoordinator>> FromProto(v1::WorkerMessage batch);
[[nodiscard]] Result<std::vector<engine::ToWorker>> FromProto(v1::CoordinatorMessage batch);

}  // namespace evenkeel::protocol
