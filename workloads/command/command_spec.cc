#include "workloads/command/command_spec.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/placeholder.h"
#include "launcher/protocol.h"
#include "workloads/command/learned_costs.h"
#include "workloads/folder_file.h"

namespace evenkeel::workloads::command {
namespace {

constexpr std::int64_t kMaxTasks = kMaxLines;
constexpr std::size_t kMaxWords = launcher::kMaxWords - 1;  // the argument may be one more
constexpr std::size_t kMaxWordBytes = 65'536;
// The API server compares old and new list on each update, in bounded time. Files may have more.
constexpr std::size_t kMaxListed = 10'000;
constexpr std::size_t kMaxListedBytes = 768;
constexpr std::int64_t kMaxColumn = 1'000;
constexpr std::size_t kMaxPathBytes = 4'095;
constexpr std::size_t kMaxImageBytes = 1'024;
// A field between coordinator and worker only: the worker gets the arguments with its tasks.
constexpr const char* kWithArguments = "withArguments";

std::vector<std::string> ReadWords(model::FieldReader& fields, const std::string& field) {
  std::vector<std::string> words = fields.Strings(field, kMaxWords, kMaxWordBytes);
  if (words.empty()) {
    fields.Fail(field, "must be a list of 1 to " + std::to_string(kMaxWords) + " words");
  } else if (words.front().empty()) {
    fields.Fail(field + "[0]", "must be a program, is empty");
  }
  return words;
}

/// A word that is a placeholder of another kind is a mistake. Braces within a word are not: they
/// may be part of a script.
void ReadReduce(model::FieldReader& fields, CommandSpec& spec) {
  static_cast<void>(fields.Any("reduce"));  // known, whether present or not
  if (!fields.Has("reduce")) return;
  spec.reduce = ReadWords(fields, "reduce");
  for (std::size_t n = 0; n < spec.reduce.size(); ++n) {
    const std::string& word = spec.reduce[n];
    if (launcher::IsPlaceholder(word) && word != launcher::kResultsPlaceholder) {
      fields.Fail("reduce[" + std::to_string(n) + "]",
                  "must not be " + word + ": {results} is the only placeholder here");
    }
  }
}

/// The object `cost`: exactly one of its fields.
struct CostFields {
  CostSource source = CostSource::kNone;
  std::size_t column = 0;    ///< from 1, of kColumn
  std::vector<double> list;  ///< of kList
};

CostFields ReadCostFields(model::FieldReader& fields) {
  CostFields read;
  static_cast<void>(fields.Any("cost"));  // known, whether present or not
  if (!fields.Has("cost")) return read;
  model::FieldReader cost = fields.RequiredObject("cost");
  const std::int64_t column = cost.OptionalInt("column", {1, kMaxColumn}, 0);
  read.list = cost.Numbers("list", kMaxListed, kDeclaredCosts);
  const bool has_list = cost.Has("list");
  const bool file_size = cost.OptionalBool("fileSize", false);
  const bool learned = cost.OptionalBool("learned", false);
  if (int{column > 0} + int{has_list} + int{file_size} + int{learned} != 1 && !cost.Failed()) {
    fields.Fail("cost", "must have exactly one of column, list, fileSize: true, learned: true");
    return read;
  }
  read.column = static_cast<std::size_t>(column);
  read.source = column > 0  ? CostSource::kColumn
                : has_list  ? CostSource::kList
                : file_size ? CostSource::kFileSize
                            : CostSource::kLearned;
  return read;
}

/// Reads the arguments that are listed in the manifest.
void ReadList(model::FieldReader& fields, CommandSpec& spec) {
  for (const auto& argument : fields.Strings("arguments", kMaxListed, kMaxListedBytes)) {
    spec.arguments.Append(argument);
  }
  if (spec.arguments.Count() == 0) fields.Fail("arguments", "must have at least one");
}

void ReadFile(model::FieldReader& fields, const WorkloadContext& context, std::size_t cost_column,
              CommandSpec& spec) {
  const std::string name = fields.RequiredString("argumentsFile", kMaxPathBytes);
  if (name.empty()) return;  // already reported
  const std::filesystem::path path(name);
  if (context.folder.empty()) {
    fields.Fail("argumentsFile", "needs spec.inputs, which must contain the file");
    return;
  }
  auto read = Arguments::FromFile(context.folder, path, context.confined, cost_column);
  if (read) {
    spec.arguments = std::move(*read);
  } else {
    fields.Fail("argumentsFile", read.error().message);
  }
}

void ReadRange(model::FieldReader range, CommandSpec& spec) {
  spec.tasks = range.RequiredInt("tasks", {1, kMaxTasks});
  model::RangeBounds bounds;
  bounds.least_tasks = range.OptionalInt("minTasks", {1, model::kMaxTasksPerRun}, 1);
  bounds.most_tasks =
      range.OptionalInt("maxTasks", {1, model::kMaxTasksPerRun}, model::kMaxTasksPerRun);
  if (bounds.least_tasks > bounds.most_tasks) {
    range.Fail("minTasks", "must be at most maxTasks, " + std::to_string(bounds.most_tasks) +
                               ", is " + std::to_string(bounds.least_tasks));
  }
  spec.ranges = bounds;
}

void ReadTasks(model::FieldReader& fields, const WorkloadContext& context, std::size_t cost_column,
               CommandSpec& spec) {
  for (const char* field : {"tasks", "arguments", "argumentsFile", "range"}) {
    static_cast<void>(fields.Any(field));  // known fields, whether present or not
  }
  const bool has_count = fields.Has("tasks");
  const bool has_list = fields.Has("arguments");
  const bool in_file = fields.Has("argumentsFile");
  const bool has_range = fields.Has("range");
  if (int{has_count} + int{has_list} + int{in_file} + int{has_range} != 1) {
    fields.Fail("tasks", "exactly one of tasks, arguments, argumentsFile, range must be there");
    return;
  }
  if (has_range) return ReadRange(fields.RequiredObject("range"), spec);
  if (has_count) {
    spec.tasks = fields.RequiredInt("tasks", {1, kMaxTasks});
    return;
  }
  spec.has_arguments = true;
  if (has_list) ReadList(fields, spec);
  if (in_file) ReadFile(fields, context, cost_column, spec);
  spec.tasks = spec.arguments.Count();
}

/// A declared cost in units: thousandths, at least 1.
model::Cost UnitsOf(double declared) {
  return std::max<model::Cost>(std::llround(declared * model::kUnitsPerDeclaredCost), 1);
}

/// The costs of a job as a table; an error if their sum is too large.
Result<std::shared_ptr<const model::CostModel>> TableOf(const std::vector<model::Cost>& costs) {
  double sum = 0;
  for (const model::Cost cost : costs) sum += static_cast<double>(cost);
  if (sum > model::kMostCost) return InvalidInput("must be smaller: their sum does not fit");
  return std::make_shared<model::PrefixCosts>(costs);
}

Result<std::shared_ptr<const model::CostModel>> DeclaredTable(const std::vector<double>& declared) {
  std::vector<model::Cost> costs(declared.size());
  std::transform(declared.begin(), declared.end(), costs.begin(), UnitsOf);
  return TableOf(costs);
}

/// The sizes of the files that the arguments name, relative to the folder of the inputs.
Result<std::shared_ptr<const model::CostModel>> SizeTable(const Arguments& arguments,
                                                          const WorkloadContext& context) {
  std::vector<model::Cost> costs(static_cast<std::size_t>(arguments.Count()));
  for (std::int64_t index = 0; index < arguments.Count(); ++index) {
    const std::string_view name = arguments.At(index);
    const auto bytes = FolderFileSize(context.folder, name, context.confined);
    if (!bytes) {
      return InvalidInput("argument " + std::to_string(index) + ", " +
                          model::Shown(std::string(name)) + ": " + bytes.error().message);
    }
    costs[static_cast<std::size_t>(index)] = std::max<model::Cost>(*bytes, 1);
  }
  return TableOf(costs);
}

/// The costs of earlier runs; tasks whose arguments are new have the mean of the others.
Result<std::shared_ptr<const model::CostModel>> LearnedTable(const CommandSpec& spec,
                                                             const LearnedCosts& learned) {
  std::vector<std::optional<double>> known(static_cast<std::size_t>(spec.tasks));
  double sum = 0;
  double count = 0;
  for (std::int64_t index = 0; index < spec.tasks; ++index) {
    const auto cost = learned.Of(LearnedNameOf(spec, index));
    known[static_cast<std::size_t>(index)] = cost;
    sum += cost.value_or(0);
    count += cost ? 1 : 0;
  }
  if (count == 0) return std::make_shared<model::UnitCosts>(spec.tasks);
  std::vector<double> declared(known.size());
  std::transform(known.begin(), known.end(), declared.begin(), [&](const auto& cost) {
    return std::clamp(cost.value_or(sum / count), kDeclaredCosts.min, kDeclaredCosts.max);
  });
  return DeclaredTable(declared);
}

Result<std::shared_ptr<const model::CostModel>> CostsOf(const CommandSpec& spec,
                                                        const CostFields& cost,
                                                        const WorkloadContext& context) {
  switch (cost.source) {
    case CostSource::kColumn:
      return DeclaredTable(spec.arguments.DeclaredCosts());
    case CostSource::kList:
      return DeclaredTable(cost.list);
    case CostSource::kFileSize:
      return SizeTable(spec.arguments, context);
    case CostSource::kLearned:
      return LearnedTable(spec, LearnedCosts::Read(spec.learned_file));
    case CostSource::kNone:
      break;
  }
  return std::make_shared<model::UnitCosts>(spec.tasks);
}

/// Checks `cost` against the other fields, and reads the costs.
void ReadCosts(model::FieldReader& fields, const CostFields& cost, const WorkloadContext& context,
               CommandSpec& spec) {
  spec.cost_source = cost.source;
  if (cost.source == CostSource::kLearned) spec.learned_file = context.learned_costs;
  if (fields.Failed() || cost.source == CostSource::kNone) return;
  if (spec.ranges) {
    fields.Fail("cost", "must be absent with range: its tasks count as equal");
  } else if (cost.source == CostSource::kColumn && !fields.Has("argumentsFile")) {
    fields.Fail("cost.column", "needs argumentsFile, of which it is a column");
  } else if (cost.source == CostSource::kList &&
             static_cast<std::int64_t>(cost.list.size()) != spec.tasks) {
    fields.Fail("cost.list", "must have one cost per task, " + std::to_string(spec.tasks) +
                                 ", has " + std::to_string(cost.list.size()));
  } else if (cost.source == CostSource::kFileSize && !spec.has_arguments) {
    fields.Fail("cost.fileSize", "needs arguments or argumentsFile, which name the files");
  } else if (cost.source == CostSource::kFileSize && context.folder.empty()) {
    fields.Fail("cost.fileSize", "needs spec.inputs, which must contain the files");
  }
  if (fields.Failed()) return;
  auto costs = CostsOf(spec, cost, context);
  if (costs) {
    spec.costs = std::move(*costs);
  } else {
    fields.Fail("cost", costs.error().message);
  }
}

void ReadFolder(model::FieldReader& fields, CommandSpec& spec) {
  spec.folder = fields.OptionalString("workingDirectory", kMaxPathBytes, "");
  if (fields.Has("workingDirectory") && !spec.folder.starts_with('/')) {
    fields.Fail("workingDirectory", "must be an absolute path, is " + model::Shown(spec.folder));
  }
}

/// Reads the declared files and checks them against the other fields and all arguments.
void ReadFiles(model::FieldReader& fields, const WorkloadContext& context, CommandSpec& spec) {
  spec.files = ReadDeclaredFiles(fields, spec.has_arguments);
  if (fields.Failed() || !spec.files.Any()) return;
  const char* const field = spec.files.inputs.empty() ? "outputs" : "inputs";
  if (spec.ranges) {
    fields.Fail(field, "must be absent with range");
  } else if (!spec.folder.empty()) {
    fields.Fail(field,
                "must be absent with workingDirectory: each task runs in a directory of its own");
  } else if (!spec.files.inputs.empty() && !context.at_worker && context.folder.empty()) {
    fields.Fail("inputs", "needs spec.inputs, which must contain the files");
  }
  if (!UsesArguments(spec.files)) return;
  for (std::int64_t index = 0; index < spec.arguments.Count() && !fields.Failed(); ++index) {
    const std::string_view argument = spec.arguments.At(index);
    const auto inputs = InputsOf(spec.files, index, argument);
    const auto outputs = OutputsOf(spec.files, index, argument);
    if (inputs && outputs) continue;
    fields.Fail(inputs ? "outputs" : "inputs",
                "task " + std::to_string(index) + ": " +
                    (inputs ? outputs.error().message : inputs.error().message));
  }
}

}  // namespace

std::string LearnedNameOf(const CommandSpec& spec, model::TaskIndex index) {
  return spec.has_arguments ? std::string(spec.arguments.At(index)) : "#" + std::to_string(index);
}

Result<CommandSpec> ReadCommandSpec(model::FieldReader fields, const WorkloadContext& context) {
  CommandSpec spec;
  spec.words = ReadWords(fields, "command");
  ReadReduce(fields, spec);
  const CostFields cost = ReadCostFields(fields);
  ReadTasks(fields, context, cost.column, spec);
  static_cast<void>(
      fields.OptionalString("image", kMaxImageBytes, ""));  // used by the operator only
  ReadFolder(fields, spec);
  spec.output_limit = static_cast<std::uint32_t>(fields.OptionalInt(
      "outputLimitBytes", {0, static_cast<std::int64_t>(launcher::kMaxOutputBytes)},
      spec.output_limit));
  if (context.at_worker) spec.has_arguments = fields.OptionalBool(kWithArguments, false);
  ReadFiles(fields, context, spec);
  spec.costs = std::make_shared<model::UnitCosts>(spec.tasks);
  ReadCosts(fields, cost, context, spec);
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

std::string WorkerParametersOf(const CommandSpec& spec) {
  nlohmann::json parameters = {{"command", spec.words},
                               {"outputLimitBytes", spec.output_limit},
                               {kWithArguments, spec.has_arguments}};
  if (spec.ranges) {
    parameters["range"] = {{"tasks", spec.tasks}};
  } else {
    parameters["tasks"] = spec.tasks;
  }
  if (!spec.folder.empty()) parameters["workingDirectory"] = spec.folder;
  if (spec.files.Any()) {
    parameters["inputs"] = spec.files.inputs;
    parameters["outputs"] = spec.files.outputs;
    parameters["outputFilesLimitBytes"] = spec.files.output_bytes;
  }
  return parameters.dump();
}

namespace {

using nlohmann::json;

bool StartsWith(const json& list, const json& earlier) {
  return list.is_array() && earlier.is_array() && list.size() >= earlier.size() &&
         std::equal(earlier.begin(), earlier.end(), list.begin());
}

bool IsAtLeast(const json& count, const json& earlier) {
  return count.is_number_integer() && earlier.is_number_integer() && count >= earlier;
}

}  // namespace

bool OnlyAppendsTasks(const std::string& earlier, const std::string& now) {
  json before = json::parse(earlier, nullptr, false);
  json after = json::parse(now, nullptr, false);
  if (!before.is_object() || !after.is_object()) return false;
  // Costs are hints: other ones do not make it another job.
  for (json* job : {&before, &after}) {
    if (job->contains("cost") && (*job)["cost"].is_object()) (*job)["cost"].erase("list");
    job->erase("reduce");  // runs on the results of the same tasks
  }
  // The tasks of a range may grow, too; its bounds may not change.
  for (json* job : {&before, &after}) {
    if (!job->contains("range") || !(*job)["range"].is_object()) continue;
    (*job)["tasks"] = (*job)["range"]["tasks"];
    (*job)["range"].erase("tasks");
  }
  for (const char* field : {"tasks", "arguments"}) {
    if (!before.contains(field) || !after.contains(field)) continue;
    if (!IsAtLeast(after[field], before[field]) && !StartsWith(after[field], before[field])) {
      return false;
    }
    before.erase(field);
    after.erase(field);
  }
  return before == after;
}

}  // namespace evenkeel::workloads::command
