#pragma once

#include <string>

#include "core/engine/messages.h"

namespace evenkeel::simulator {

/// Describes a message in one line, for traces and digests, without its results.
[[nodiscard]] std::string Describe(const engine::ToCoordinator& message);
[[nodiscard]] std::string Describe(const engine::ToWorker& message);

}  // namespace evenkeel::simulator
