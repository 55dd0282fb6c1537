#pragma once

#include <ostream>
#include <string>

namespace evenkeel::cli {

struct WeightsOptions {
  std::string nodes_file;          ///< a Kubernetes list of Nodes
  std::string policy = "default";  ///< "default", "paper", or the path of a WeightingPolicy
  bool json = false;               ///< -o json instead of a table
};

/// `evenkeel weights`: writes what each node weighs and why to `out`. Returns the exit code: 0, or
/// 2 after one line on `err` if a file cannot be read or is wrong.
int RunWeightsCommand(const WeightsOptions& options, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
