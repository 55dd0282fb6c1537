#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/index_range.h"
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

/// One line of results.jsonl, line end included. Bytes that are no UTF-8 are shown as U+FFFD.
struct ResultRow {
  model::TaskIndex index = 0;
  std::optional<std::string> argument;
  std::optional<TaskRecord> record;    ///< of the last run, if it came to an end
  std::optional<std::string> failure;  ///< why it failed for good; nothing: it succeeded
};
void AppendRow(const ResultRow& row, std::string& text);

}  // namespace evenkeel::workloads::command
