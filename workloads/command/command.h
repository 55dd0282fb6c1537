#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/command/arguments.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

inline constexpr std::string_view kName = "command";
inline constexpr std::uint32_t kVersion = 1;

/// spec.workload.command
struct CommandSpec {
  std::vector<std::string> words;  ///< of the command; at least one
  std::string folder;              ///< to run in; empty: that of the image or of `evenkeel run`
  std::uint32_t output_limit = 65'536;  ///< bytes kept of stdout and of stderr each
  std::int64_t tasks = 0;
  bool has_arguments = false;  ///< one a task
  Arguments arguments;         ///< empty at a worker, which gets them with its tasks
};

/// Reads the parameters and, unless at a worker, the file of arguments. Errors as FieldReader gives
/// them; what is wrong with the file is said of the field.
[[nodiscard]] Result<CommandSpec> ReadCommandSpec(model::FieldReader fields,
                                                  const WorkloadContext& context);

/// What a worker reads as its parameters, as JSON: without the arguments.
[[nodiscard]] std::string WorkerParametersOf(const CommandSpec& spec);

/// Whether `now` differs from `earlier` (JSON of both) by nothing but a larger number of tasks, by
/// arguments at the end of the list, or not at all.
[[nodiscard]] bool IsGrown(const std::string& earlier, const std::string& now);

/// Runs a command of the user's for each task, by way of evenkeel-launcher. Costs are not known.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeCommand(const model::FieldReader& fields,
                                                                  const WorkloadContext& context);

}  // namespace evenkeel::workloads::command
