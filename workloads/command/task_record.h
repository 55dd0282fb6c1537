#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/index_range.h"
#include "launcher/protocol.h"

namespace evenkeel::workloads::command {

/// The record of one run: the result of a task that succeeded, TaskFailure::record of one that
/// failed. If the run did a range of tasks, it is the result of the first one, and the results of
/// the others are empty.
struct TaskRecord {
  std::int32_t attempts = 1;  ///< this one included
  std::string node;
  launcher::Ended ended;   ///< its id is not kept
  std::int64_t tasks = 1;  ///< that it did, at most 2^32
};

void AppendRecord(const TaskRecord& record, std::string& bytes);
/// Nothing if the bytes are not a valid record.
[[nodiscard]] std::optional<TaskRecord> ReadRecord(std::string_view bytes);

/// The part of a record that is the same in all correct runs of a task: exit status and stdout.
/// Node, attempts, times and stderr differ. Bytes that are not a record are returned with a mark.
[[nodiscard]] std::string RepeatablePartOf(std::string_view bytes);

/// How long the run took, in seconds, rounded to microseconds.
[[nodiscard]] double SecondsOf(const launcher::Ended& ended);

/// How a command that failed has ended, in one line.
[[nodiscard]] std::string EndingText(const launcher::Ended& ended);

/// The reason of the failure in one line, with the last line of stderr.
[[nodiscard]] std::string ReasonOf(const launcher::Ended& ended);

/// One line of results.jsonl.
struct ResultRow {
  model::TaskIndex index = 0;
  std::optional<std::string> argument;
  /// Record of the last run, if it ended. Nothing for a range if others did a part of its run.
  std::optional<TaskRecord> record;
  std::optional<std::string> failure;      ///< reason of a final failure; nothing: success
  std::optional<model::TaskIndex> last{};  ///< of a range that begins with `index`
};
/// Appends the row with its line end. Bytes that are not UTF-8 become U+FFFD.
void AppendRow(const ResultRow& row, std::string& text);

}  // namespace evenkeel::workloads::command
