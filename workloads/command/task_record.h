#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/protocol.h"

namespace evenkeel::workloads::command {

/// What is kept of one run of a task: the result of one that succeeded, the record of one that
/// failed.
struct TaskRecord {
  std::int32_t attempts = 1;  ///< this one included
  std::string node;
  launcher::Ended ended;  ///< its id is not kept
};

void AppendRecord(const TaskRecord& record, std::string& bytes);
/// Nothing if these bytes are no record.
[[nodiscard]] std::optional<TaskRecord> ReadRecord(std::string_view bytes);

/// As a shell has it: the command's own, 128 + the signal that ended it, 127 if there is no such
/// program, 126 if it could not be started for another reason.
[[nodiscard]] std::int32_t ExitCodeOf(const launcher::Ended& ended);

/// Why it did not succeed, in one line with the last line of its stderr.
[[nodiscard]] std::string ReasonOf(const launcher::Ended& ended);

}  // namespace evenkeel::workloads::command
