#pragma once

#include <memory>

#include "workloads/command/command_spec.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// The reduce command of `spec`, which has one and must outlive it. Its words and the environment
/// variable EVENKEEL_RESULTS name results.jsonl in place.results. Output is kept as that of a task.
[[nodiscard]] std::unique_ptr<ReduceCommand> MakeReduceCommand(const CommandSpec& spec,
                                                               const ReducePlace& place);

}  // namespace evenkeel::workloads::command
