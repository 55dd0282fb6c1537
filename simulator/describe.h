#pragma once

#include <string>

#include "core/engine/messages.h"

namespace evenkeel::simulator {

/// One line that tells a message from any other, for traces and digests; results are left out.
[[nodiscard]] std::string Describe(const engine::ToCoordinator& message);
[[nodiscard]] std::string Describe(const engine::ToWorker& message);

}  // namespace evenkeel::simulator
