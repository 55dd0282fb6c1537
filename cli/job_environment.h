#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/job_spec.h"

namespace evenkeel::cli {

/// spec.worker.template.env as "NAME=value", with references as in a pod: $(NAME) is a variable
/// further up in the list, $$ stands for $, and what refers to nothing stays. One whose value comes
/// from the cluster (valueFrom) is taken from the environment of this process; kInvalidInput: it is
/// not there.
[[nodiscard]] Result<std::vector<std::string>> ExpandEnvironment(
    const std::vector<model::EnvironmentVariable>& variables);

}  // namespace evenkeel::cli
