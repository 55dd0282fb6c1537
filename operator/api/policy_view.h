#pragma once

#include <string>

#include "core/model/weighting_policy.h"

namespace evenkeel::api {

/// A WeightingPolicy as the API server has it.
struct PolicyView {
  std::string name;
  std::string invalid;  ///< why it cannot be worked with, one line; empty if it can
  model::WeightingPolicy policy;
};

}  // namespace evenkeel::api
