#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::model {

/// Why a task failed. A plain value.
struct TaskFailure {
  std::string reason;                     ///< one line
  std::optional<std::int32_t> exit_code;  ///< of a command; 128 + N if signal N ended it
  std::string record;  ///< entry for the job's results; has the size limit of results
  friend bool operator==(const TaskFailure&, const TaskFailure&) = default;
};

}  // namespace evenkeel::model
