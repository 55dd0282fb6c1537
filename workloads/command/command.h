#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

inline constexpr std::size_t kMaxArgumentBytes = 65'536;
inline constexpr std::int64_t kMaxLines = 10'000'000;
inline constexpr std::size_t kMaxFileBytes = std::size_t{32} << 20;

/// The arguments of the tasks, by index: their bytes and where each ends. Not thread-safe while it
/// grows.
class Arguments {
 public:
  /// A line each, ended by "\n" or "\r\n"; after the last one the end may be missing. `name` is
  /// looked up in `folder`, and nowhere else if `confined`. Errors (kInvalidInput) name the file,
  /// and the line that is empty, too long or has a zero byte.
  [[nodiscard]] static Result<Arguments> FromFile(const std::filesystem::path& folder,
                                                  const std::filesystem::path& name, bool confined);

  void Append(std::string_view argument);
  [[nodiscard]] std::int64_t Count() const { return static_cast<std::int64_t>(ends_.size()); }
  [[nodiscard]] std::string_view At(std::int64_t index) const;

 private:
  /// Empty, or what is wrong with one of the lines of `text`.
  [[nodiscard]] std::string AppendLines(std::string_view text);

  std::string bytes_;
  std::vector<std::uint32_t> ends_;  // in bytes_, of each; kMaxFileBytes keeps them in 32 bits
};

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
