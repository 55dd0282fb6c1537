#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::cli {

/// A Kubernetes event about a job.
struct JobEvent {
  std::optional<double> last;  ///< seconds since 1970
  std::int64_t count = 1;
  std::string type;  ///< Normal or Warning
  std::string reason;
  std::string message;  ///< all texts are printable
};

/// The last `most` events of a list, as `kubectl get events -o json` prints it, the youngest last.
[[nodiscard]] std::vector<JobEvent> ReadEvents(const nlohmann::json& list, std::size_t most);

}  // namespace evenkeel::cli
