#include "workloads/command/command.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/protocol.h"
#include "workloads/command/command_reducer.h"
#include "workloads/command/command_runner.h"
#include "workloads/command/task_record.h"
#include "workloads/folder_file.h"

namespace evenkeel::workloads::command {
namespace {

tl::unexpected<Error> FileError(const std::filesystem::path& path, const std::string& what) {
  return InvalidInput(path.string() + ": " + what);
}

/// Returns the error in a line; empty if there is none.
std::string LineError(std::string_view line) {
  if (line.empty()) return "must not be empty";
  if (line.size() > kMaxArgumentBytes) {
    return "must have at most " + std::to_string(kMaxArgumentBytes) + " bytes, has " +
           std::to_string(line.size());
  }
  return line.find('\0') == std::string::npos ? "" : "must not have a zero byte";
}

}  // namespace

Result<Arguments> Arguments::FromFile(const std::filesystem::path& folder,
                                      const std::filesystem::path& name, bool confined) {
  const auto path = folder / name;
  const auto text = ReadFolderFile(folder, name, confined, kMaxFileBytes);
  if (!text) return FileError(path, text.error().message);
  Arguments arguments;
  if (const std::string wrong = arguments.AppendLines(*text); !wrong.empty()) {
    return FileError(path, wrong);
  }
  if (arguments.Count() == 0) return FileError(path, "must have at least one line");
  return arguments;
}

std::string Arguments::AppendLines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const std::string wrong = LineError(line); !wrong.empty()) {
      return "line " + std::to_string(Count() + 1) + ": " + wrong;
    }
    Append(line);
    if (Count() > kMaxLines) return "must have at most " + std::to_string(kMaxLines) + " lines";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

void Arguments::Append(std::string_view argument) {
  bytes_ += argument;
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
}

std::string_view Arguments::At(std::int64_t index) const {
  const auto n = static_cast<std::size_t>(index);
  const std::size_t begin = n == 0 ? 0 : ends_[n - 1];
  return std::string_view(bytes_).substr(begin, ends_[n] - begin);
}

namespace {

constexpr std::int64_t kMaxTasks = kMaxLines;
constexpr std::size_t kMaxWords = launcher::kMaxWords - 1;  // the argument may be one more
constexpr std::size_t kMaxWordBytes = 65'536;
// The API server compares old and new list on each update, in bounded time. Files may have more.
constexpr std::size_t kMaxListed = 10'000;
constexpr std::size_t kMaxListedBytes = 768;
constexpr std::size_t kMaxPathBytes = 4'095;
constexpr std::size_t kMaxImageBytes = 1'024;
// A field between coordinator and worker only: the worker gets the arguments with its tasks.
constexpr const char* kWithArguments = "withArguments";

void ReadWords(model::FieldReader& fields, CommandSpec& spec) {
  spec.words = fields.Strings("command", kMaxWords, kMaxWordBytes);
  if (spec.words.empty()) {
    fields.Fail("command", "must be a list of 1 to " + std::to_string(kMaxWords) + " words");
  } else if (spec.words.front().empty()) {
    fields.Fail("command[0]", "must be a program, is empty");
  }
}

/// Reads the arguments that are listed in the manifest.
void ReadList(model::FieldReader& fields, CommandSpec& spec) {
  for (const auto& argument : fields.Strings("arguments", kMaxListed, kMaxListedBytes)) {
    spec.arguments.Append(argument);
  }
  if (spec.arguments.Count() == 0) fields.Fail("arguments", "must have at least one");
}

void ReadFile(model::FieldReader& fields, const WorkloadContext& context, CommandSpec& spec) {
  const std::string name = fields.RequiredString("argumentsFile", kMaxPathBytes);
  if (name.empty()) return;  // already reported
  const std::filesystem::path path(name);
  if (context.folder.empty()) {
    fields.Fail("argumentsFile", "needs spec.inputs, which must contain the file");
    return;
  }
  auto read = Arguments::FromFile(context.folder, path, context.confined);
  if (read) {
    spec.arguments = std::move(*read);
  } else {
    fields.Fail("argumentsFile", read.error().message);
  }
}

void ReadTasks(model::FieldReader& fields, const WorkloadContext& context, CommandSpec& spec) {
  for (const char* field : {"tasks", "arguments", "argumentsFile"}) {
    static_cast<void>(fields.Any(field));  // known fields, whether present or not
  }
  const bool has_count = fields.Has("tasks");
  const bool has_list = fields.Has("arguments");
  const bool in_file = fields.Has("argumentsFile");
  if (int{has_count} + int{has_list} + int{in_file} != 1) {
    fields.Fail("tasks", "exactly one of tasks, arguments, argumentsFile must be there");
    return;
  }
  if (has_count) {
    spec.tasks = fields.RequiredInt("tasks", {1, kMaxTasks});
    return;
  }
  spec.has_arguments = true;
  if (has_list) ReadList(fields, spec);
  if (in_file) ReadFile(fields, context, spec);
  spec.tasks = spec.arguments.Count();
}

void ReadFolder(model::FieldReader& fields, CommandSpec& spec) {
  spec.folder = fields.OptionalString("workingDirectory", kMaxPathBytes, "");
  if (fields.Has("workingDirectory") && !spec.folder.starts_with('/')) {
    fields.Fail("workingDirectory", "must be an absolute path, is " + model::Shown(spec.folder));
  }
}

}  // namespace

Result<CommandSpec> ReadCommandSpec(model::FieldReader fields, const WorkloadContext& context) {
  CommandSpec spec;
  ReadWords(fields, spec);
  ReadTasks(fields, context, spec);
  static_cast<void>(
      fields.OptionalString("image", kMaxImageBytes, ""));  // used by the operator only
  ReadFolder(fields, spec);
  spec.output_limit = static_cast<std::uint32_t>(fields.OptionalInt(
      "outputLimitBytes", {0, static_cast<std::int64_t>(launcher::kMaxOutputBytes)},
      spec.output_limit));
  if (context.at_worker) spec.has_arguments = fields.OptionalBool(kWithArguments, false);
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

std::string WorkerParametersOf(const CommandSpec& spec) {
  nlohmann::json parameters = {{"command", spec.words},
                               {"tasks", spec.tasks},
                               {"outputLimitBytes", spec.output_limit},
                               {kWithArguments, spec.has_arguments}};
  if (!spec.folder.empty()) parameters["workingDirectory"] = spec.folder;
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

namespace {

class Command final : public Workload {
 public:
  explicit Command(CommandSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return spec_.tasks; }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return std::make_shared<model::UnitCosts>(spec_.tasks);
  }
  [[nodiscard]] std::optional<std::string> WorkerParameters() const override {
    return WorkerParametersOf(spec_);
  }
  [[nodiscard]] bool HasInputs() const override { return spec_.has_arguments; }
  [[nodiscard]] std::string InputOf(model::TaskIndex index) const override {
    return spec_.has_arguments ? std::string(spec_.arguments.At(index)) : std::string();
  }
  [[nodiscard]] bool Continues(const std::string& earlier, const std::string& now) const override {
    return OnlyAppendsTasks(earlier, now);
  }
  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const override {
    return MakeCommandRunner(spec_, options);
  }
  [[nodiscard]] std::string RepeatablePartOf(std::string_view result) const override {
    return command::RepeatablePartOf(result);
  }
  [[nodiscard]] bool ResultsOfFailedJobs() const override { return true; }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeCommandReducer(spec_);
  }

 private:
  const CommandSpec spec_;
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeCommand(const model::FieldReader& fields,
                                                    const WorkloadContext& context) {
  auto spec = ReadCommandSpec(fields, context);
  if (!spec) return tl::unexpected(spec.error());
  return std::make_shared<Command>(std::move(*spec));
}

}  // namespace evenkeel::workloads::command
