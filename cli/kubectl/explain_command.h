#pragma once

#include <iosfwd>
#include <string>

#include "cli/kubectl/cluster.h"
#include "cli/kubectl/explanation.h"

namespace evenkeel::cli {

/// Asks the cluster for all that WriteExplanation tells. Errors: those of the job alone; whatever
/// else cannot be read is an error inside of the explanation.
[[nodiscard]] Result<Explanation> GatherExplanation(const std::string& job, Cluster& cluster);

}  // namespace evenkeel::cli
