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

/// The arguments of the tasks, by index. Not thread-safe while arguments are appended.
class Arguments {
 public:
  /// Reads one argument a line. Lines end with "\n" or "\r\n"; the last one may have no end. `name`
  /// is resolved in `folder`, and must be inside if `confined`. Errors (kInvalidInput) name the
  /// file and the line that is empty, too long or has a zero byte.
  [[nodiscard]] static Result<Arguments> FromFile(const std::filesystem::path& folder,
                                                  const std::filesystem::path& name, bool confined);

  void Append(std::string_view argument);
  [[nodiscard]] std::int64_t Count() const { return static_cast<std::int64_t>(ends_.size()); }
  [[nodiscard]] std::string_view At(std::int64_t index) const;

 private:
  /// Returns the first error in the lines of `text`; empty if there is none.
  [[nodiscard]] std::string AppendLines(std::string_view text);

  std::string bytes_;
  std::vector<std::uint32_t> ends_;  // end of each argument in bytes_; fits, see kMaxFileBytes
};

inline constexpr std::string_view kName = "command";
inline constexpr std::uint32_t kVersion = 1;

/// spec.workload.command
struct CommandSpec {
  std::vector<std::string> words;  ///< of the command; at least one
  std::string folder;  ///< working directory; empty: the image's or that of `evenkeel run`
  std::uint32_t output_limit = 65'536;  ///< bytes kept of stdout and of stderr each
  std::int64_t tasks = 0;
  bool has_arguments = false;  ///< one argument a task
  Arguments arguments;         ///< empty at a worker, which gets them with its tasks
};

/// Reads the parameters and, unless at a worker, the file of arguments. Errors as FieldReader gives
/// them; an error in the file is reported for its field.
[[nodiscard]] Result<CommandSpec> ReadCommandSpec(model::FieldReader fields,
                                                  const WorkloadContext& context);

/// The parameters for workers, as JSON: all but the arguments.
[[nodiscard]] std::string WorkerParametersOf(const CommandSpec& spec);

/// Whether the parameters `now` are `earlier` (both JSON) with a larger number of tasks, with
/// arguments appended to the list, or unchanged.
[[nodiscard]] bool OnlyAppendsTasks(const std::string& earlier, const std::string& now);

/// Runs the user's command once a task through evenkeel-launcher. Costs are unknown.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeCommand(const model::FieldReader& fields,
                                                                  const WorkloadContext& context);

}  // namespace evenkeel::workloads::command
