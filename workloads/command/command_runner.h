#pragma once

#include <memory>

#include "workloads/command/command_spec.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// Runs the command of `spec`, which must outlive it, through a launcher of its own or through the
/// one at options.launcher_socket.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeCommandRunner(const CommandSpec& spec,
                                                            const RunnerOptions& options);

}  // namespace evenkeel::workloads::command
