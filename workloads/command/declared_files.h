#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "core/model/index_range.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads::command {

inline constexpr std::size_t kMaxDeclaredFiles = 100;  ///< of inputs and of outputs, each
inline constexpr std::int64_t kMaxOutputFilesBytes = std::int64_t{64} << 30;
inline constexpr std::int64_t kDefaultOutputFilesBytes = std::int64_t{64} << 20;

/// command.inputs, command.outputs and command.outputFilesLimitBytes as the job has them. A path
/// may have placeholders: {} stands for the argument of the task, {index} for its index.
struct DeclaredFiles {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::int64_t output_bytes = kDefaultOutputFilesBytes;  ///< of all output files of a task

  [[nodiscard]] bool Any() const { return !inputs.empty() || !outputs.empty(); }
};

/// Reads and checks the three fields. `has_arguments`: whether tasks have arguments.
[[nodiscard]] DeclaredFiles ReadDeclaredFiles(model::FieldReader& fields, bool has_arguments);

/// Whether any path depends on the arguments of the tasks.
[[nodiscard]] bool UsesArguments(const DeclaredFiles& files);

/// The inputs without placeholders: all tasks have them.
[[nodiscard]] std::vector<DeclaredPath> CommonInputs(const DeclaredFiles& files);
/// The inputs with placeholders, for one task. kInvalidInput: its argument makes a wrong path.
[[nodiscard]] Result<std::vector<DeclaredPath>> InputsOf(const DeclaredFiles& files,
                                                         model::TaskIndex index,
                                                         std::string_view argument);
/// All outputs, for one task. Errors as of InputsOf.
[[nodiscard]] Result<std::vector<DeclaredPath>> OutputsOf(const DeclaredFiles& files,
                                                          model::TaskIndex index,
                                                          std::string_view argument);

}  // namespace evenkeel::workloads::command
