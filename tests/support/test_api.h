#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::support {

/// The objects of an API server, as another client sees and changes them: in memory, or of a real
/// server. A collection is the path of all objects of a resource, such as "/api/v1/pods".
/// Thread-safe. A failure ends the test's process.
class TestApi {
 public:
  virtual ~TestApi() = default;

  /// Creates or replaces, with its status. Returns what is stored.
  virtual nlohmann::json Put(const std::string& collection, nlohmann::json object) = 0;
  [[nodiscard]] virtual std::optional<nlohmann::json> Find(const std::string& collection,
                                                           const std::string& namespace_name,
                                                           const std::string& name) const = 0;
  /// Removes it at once, whatever its finalizers. False: it was not there.
  virtual bool Erase(const std::string& collection, const std::string& namespace_name,
                     const std::string& name) = 0;
  /// The objects of all namespaces.
  [[nodiscard]] virtual std::vector<nlohmann::json> All(const std::string& collection) const = 0;
  /// Changes with every write.
  [[nodiscard]] virtual std::string ResourceVersion() const = 0;
};

}  // namespace evenkeel::support
