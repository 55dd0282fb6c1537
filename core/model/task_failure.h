#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::model {

/// Why a task failed. A plain value.
struct TaskFailure {
  std::string reason;                     ///< one line
  std::optional<std::int32_t> exit_code;  ///< of a command that ran; 128 + N: ended by signal N
  std::string record;  ///< what the job's results are to say of it; bounded as results are
  friend bool operator==(const TaskFailure&, const TaskFailure&) = default;
};

}  // namespace evenkeel::model
