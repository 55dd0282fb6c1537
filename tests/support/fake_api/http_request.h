#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_api/connection.h"

namespace evenkeel::support {

struct HttpRequest {
  std::string method;
  std::string target;
  std::vector<std::string> path;               ///< decoded segments
  std::map<std::string, std::string> query;    ///< decoded
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  /// Empty if it is not there.
  [[nodiscard]] std::string Parameter(const std::string& name) const;
  [[nodiscard]] std::string Header(const std::string& name) const;
  [[nodiscard]] bool IsWatch() const;
};

/// Reads the next request; `rest` holds what was read beyond the one before. Nothing if the other
/// side is gone or talks nonsense.
[[nodiscard]] std::optional<HttpRequest> ReadRequest(Connection& connection, std::string& rest);

}  // namespace evenkeel::support
