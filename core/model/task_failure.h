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

/// When a command ran, in whole seconds since 1970 by the clock of its node. Comparable only with
/// other times of that node.
struct NodeSeconds {
  std::int64_t began = 0;
  std::int64_t ended = 0;
  friend bool operator==(const NodeSeconds&, const NodeSeconds&) = default;
};

/// Why a task failed. A plain value.
struct TaskFailure {
  std::string reason;                     ///< one line
  std::optional<std::int32_t> exit_code;  ///< of a command; 128 + N if signal N ended it
  std::string record;  ///< entry for the job's results; has the size limit of results
  FailureCause cause = FailureCause::kTask;
  std::optional<NodeSeconds> ran{};  ///< of kRunnerLost, if it is known
  friend bool operator==(const TaskFailure&, const TaskFailure&) = default;
};

}  // namespace evenkeel::model
