#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/protocol.h"
#include "workloads/command/command.h"

namespace evenkeel::workloads::command {
namespace {

constexpr std::int64_t kMaxTasks = kMaxLines;
constexpr std::size_t kMaxWords = launcher::kMaxWords - 1;  // the argument may be one more
constexpr std::size_t kMaxWordBytes = 65'536;
// What an API server can afford to compare when a list grows; files may have more.
constexpr std::size_t kMaxListed = 10'000;
constexpr std::size_t kMaxListedBytes = 768;
constexpr std::size_t kMaxPathBytes = 4'095;
constexpr std::size_t kMaxImageBytes = 1'024;
// Between coordinator and worker only: the arguments come with the tasks.
constexpr const char* kWithArguments = "withArguments";

void ReadWords(model::FieldReader& fields, CommandSpec& spec) {
  spec.words = fields.Strings("command", kMaxWords, kMaxWordBytes);
  if (spec.words.empty()) {
    fields.Fail("command", "must be a list of 1 to " + std::to_string(kMaxWords) + " words");
  } else if (spec.words.front().empty()) {
    fields.Fail("command[0]", "must be a program, is empty");
  }
}

/// A list in the manifest; the tasks are as many.
void ReadList(model::FieldReader& fields, CommandSpec& spec) {
  for (const auto& argument : fields.Strings("arguments", kMaxListed, kMaxListedBytes)) {
    spec.arguments.Append(argument);
  }
  if (spec.arguments.Count() == 0) fields.Fail("arguments", "must have at least one");
}

void ReadFile(model::FieldReader& fields, const WorkloadContext& context, CommandSpec& spec) {
  const std::string name = fields.RequiredString("argumentsFile", kMaxPathBytes);
  if (name.empty()) return;  // that was said already
  const std::filesystem::path path(name);
  if (context.folder.empty()) {
    fields.Fail("argumentsFile", "needs spec.inputs, where the file is looked for");
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
    static_cast<void>(fields.Any(field));  // all of them are known, whichever is there
  }
  const bool counted = fields.Has("tasks");
  const bool listed = fields.Has("arguments");
  const bool filed = fields.Has("argumentsFile");
  if (int{counted} + int{listed} + int{filed} != 1) {
    fields.Fail("tasks", "exactly one of tasks, arguments, argumentsFile must be there");
    return;
  }
  if (counted) {
    spec.tasks = fields.RequiredInt("tasks", {1, kMaxTasks});
    return;
  }
  spec.has_arguments = true;
  if (listed) ReadList(fields, spec);
  if (filed) ReadFile(fields, context, spec);
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
  static_cast<void>(fields.OptionalString("image", kMaxImageBytes, ""));  // the cluster's business
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

}  // namespace evenkeel::workloads::command
