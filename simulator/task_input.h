#pragma once

#include <string>

#include "core/model/index_range.h"

namespace evenkeel::simulator {

/// What the task is given in a world whose tasks have inputs.
[[nodiscard]] inline std::string InputOf(model::TaskIndex index) {
  return "input of " + std::to_string(index);
}

}  // namespace evenkeel::simulator
