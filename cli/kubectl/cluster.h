#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::cli {

/// A pod, and where it is.
struct PodPlace {
  std::string name_space;
  std::string name;
};

/// The objects of a cluster that the commands read and create.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// The objects that `kubectl get ARGUMENTS -o json` prints. `arguments` name them ("nodes",
  /// "weightedjobs.batch.evenkeel.dev", "primes", "-l", ...). Errors are one line: kInvalidInput
  /// (there is no such object), kUnavailable (no access, no cluster, no such kind, no kubectl).
  [[nodiscard]] virtual Result<nlohmann::json> Get(const std::vector<std::string>& arguments) = 0;

  /// Creates the object as `kubectl create` does. Errors are one line: kConflict (there is one of
  /// that name), else as Get.
  [[nodiscard]] virtual Result<void> Create(const nlohmann::json& object) = 0;
};

}  // namespace evenkeel::cli
