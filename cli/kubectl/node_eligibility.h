#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/kubectl/job_object.h"

namespace evenkeel::cli {

/// Why no worker of the job may be on a node, as far as the Node shows it: labels, taints,
/// readiness, cordoned, operating system. A reason each, in words that follow "NODE: "; empty: none
/// is to be seen.
[[nodiscard]] std::vector<std::string> WhatKeepsOff(const nlohmann::json& node,
                                                    const JobObject& job);

}  // namespace evenkeel::cli
