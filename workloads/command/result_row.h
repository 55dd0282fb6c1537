#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/index_range.h"
#include "workloads/command/task_record.h"

namespace evenkeel::workloads::command {

/// One line of results.jsonl, line end included. Bytes that are no UTF-8 are shown as U+FFFD.
struct ResultRow {
  model::TaskIndex index = 0;
  std::optional<std::string> argument;
  std::optional<TaskRecord> record;    ///< of the last run, if it came to an end
  std::optional<std::string> failure;  ///< why it failed for good; nothing: it succeeded
};
void AppendRow(const ResultRow& row, std::string& text);

}  // namespace evenkeel::workloads::command
