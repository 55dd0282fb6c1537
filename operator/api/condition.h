#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/timestamp.h"

namespace evenkeel::api {

namespace condition_type {
inline const std::string kComplete = "Complete";
inline const std::string kFailed = "Failed";
inline const std::string kSuspended = "Suspended";
inline const std::string kProgressing = "Progressing";
inline const std::string kWeightsMeasured = "WeightsMeasured";
}  // namespace condition_type

/// metav1.Condition. kUnknown is only read, never written.
struct Condition {
  enum class Status { kTrue, kFalse, kUnknown };

  std::string type;
  Status status = Status::kFalse;
  std::string reason;   ///< one word in CamelCase
  std::string message;  ///< one line for people
  std::int64_t observed_generation = 0;
  Timestamp last_transition{};  ///< of `status`; whole seconds

  friend bool operator==(const Condition&, const Condition&) = default;
};

using Conditions = std::vector<Condition>;

/// Nothing if it was never set.
[[nodiscard]] const Condition* Find(const Conditions& conditions, const std::string& type);
[[nodiscard]] bool IsTrue(const Conditions& conditions, const std::string& type);

/// Adds or replaces the condition of that type. last_transition stays as it was as long as the
/// status does; otherwise it is that of `condition`.
void Set(Conditions& conditions, Condition condition);

[[nodiscard]] std::string ToString(Condition::Status status);

}  // namespace evenkeel::api
