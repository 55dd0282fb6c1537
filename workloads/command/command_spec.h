#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/cost_model.h"
#include "core/model/field_reader.h"
#include "core/model/range_bounds.h"
#include "workloads/command/arguments.h"
#include "workloads/command/declared_files.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// spec.workload.command.cost: where the costs of the tasks come from. They are hints: the
/// scheduler measures how long a unit takes on each node, and drops costs that turn out to be
/// noise.
enum class CostSource {
  kNone,      ///< costs are unknown
  kColumn,    ///< a column of the file of arguments
  kList,      ///< a list in the manifest
  kFileSize,  ///< the size of the file that the argument names
  kLearned,   ///< how long the same argument took in earlier runs
};

/// spec.workload.command
struct CommandSpec {
  std::vector<std::string> words;  ///< of the command; at least one
  std::string folder;  ///< working directory; empty: the image's or that of `evenkeel run`
  std::vector<std::string> reduce;      ///< words of the reduce command; empty: there is none
  std::uint32_t output_limit = 65'536;  ///< bytes kept of stdout and of stderr each
  DeclaredFiles files;                  ///< if there are any, each task has a directory of its own
  std::int64_t tasks = 0;
  bool has_arguments = false;  ///< one argument a task
  Arguments arguments;         ///< empty at a worker, which gets them with its tasks
  /// One run of the command does a range of tasks; nothing: one task.
  std::optional<model::RangeBounds> ranges;
  CostSource cost_source = CostSource::kNone;
  /// Units are thousandths of declared costs, and bytes of files; unknown at a worker. Not null.
  std::shared_ptr<const model::CostModel> costs;
  /// Where costs that were learned are kept; empty unless they are the source and there is a place.
  std::filesystem::path learned_file;
};

/// The name under which the cost of a task is learned: its argument, or else its index.
[[nodiscard]] std::string LearnedNameOf(const CommandSpec& spec, model::TaskIndex index);

/// Reads the parameters and, unless at a worker, the file of arguments and the sizes of files.
/// Errors as FieldReader gives them; an error in a file is reported for the field that names it.
[[nodiscard]] Result<CommandSpec> ReadCommandSpec(model::FieldReader fields,
                                                  const WorkloadContext& context);

/// The parameters for workers, as JSON: all but the arguments and costs.
[[nodiscard]] std::string WorkerParametersOf(const CommandSpec& spec);

/// Whether the parameters `now` are `earlier` (both JSON) with a larger number of tasks, with
/// arguments appended to the list, or unchanged. Listed costs and the reduce command may be others.
[[nodiscard]] bool OnlyAppendsTasks(const std::string& earlier, const std::string& now);

}  // namespace evenkeel::workloads::command
