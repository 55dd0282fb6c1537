#pragma once

#include <memory>

#include "workloads/command/command.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// Writes results.jsonl, a row for each task that succeeded or failed for good, by index. Memory:
/// one report's results and the gaps between them; the rows wait in a file beside it.
[[nodiscard]] std::unique_ptr<Reducer> MakeCommandReducer(const CommandSpec& spec);

}  // namespace evenkeel::workloads::command
