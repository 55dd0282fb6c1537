#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/node_profile.h"

namespace evenkeel::model {

/// Reads the output of `kubectl get nodes -o yaml` (or json): a List or NodeList of Nodes, or a
/// single Node. Fields that are not needed are skipped. The result has at least one node, is in the
/// order of the file, and its names are unique. Errors (kInvalidInput) are one line "FILE: FIELD:
/// what is wrong".
[[nodiscard]] Result<std::vector<NodeProfile>> ParseNodes(const std::string& yaml_text,
                                                          const std::string& file_name);

}  // namespace evenkeel::model
