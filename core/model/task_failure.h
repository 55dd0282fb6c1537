#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::model {

/// The kind of a failed run.
enum class FailureCause : std::uint8_t {
  kTask = 0,         ///< the task failed by itself
  kOutOfMemory = 1,  ///< the system killed its processes for lack of memory
  kRunnerLost = 2    ///< what ran it has ended, and other tasks with it; any of them may be why
};

/// Why a task failed. A plain value.
struct TaskFailure {
  std::string reason;                     ///< one line
  std::optional<std::int32_t> exit_code;  ///< of a command; 128 + N if signal N ended it
  std::string record;  ///< entry for the job's results; has the size limit of results
  FailureCause cause = FailureCause::kTask;
  friend bool operator==(const TaskFailure&, const TaskFailure&) = default;
};

}  // namespace evenkeel::model
