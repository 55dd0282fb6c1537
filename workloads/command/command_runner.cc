#include "workloads/command/command_runner.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/log.h"
#include "launcher/placeholder.h"
#include "workloads/command/launcher_connection.h"
#include "workloads/command/output_files.h"
#include "workloads/command/task_record.h"
#include "workloads/task_directory.h"

namespace evenkeel::workloads::command {
namespace {

using launcher::Change;
using launcher::Ended;
using launcher::HasPlaceholder;
using launcher::kFirstPlaceholder;
using launcher::kLastPlaceholder;
using launcher::kPlaceholder;
using launcher::ReplacePlaceholder;

// Positions of the environment variables that differ between tasks: the first ones of the job.
constexpr std::uint32_t kCompletionIndex = 0;
constexpr std::uint32_t kTaskIndex = 1;
constexpr std::uint32_t kAttempt = 2;
constexpr std::uint32_t kArgument = 3;  // only if tasks have arguments
constexpr std::uint32_t kFirst = 3;     // only if a run does a range
constexpr std::uint32_t kLast = 4;

/// By the clock that the kubelet uses for the ends of containers.
std::int64_t SecondsOfNode() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())
      .time_since_epoch()
      .count();
}

bool FitsLauncher(const std::vector<Change>& changes) {
  return std::all_of(changes.begin(), changes.end(), [](const Change& change) {
    return change.text.size() <= launcher::kMaxTextBytes;
  });
}

class CommandRunner final : public TaskRunner {
 public:
  CommandRunner(const CommandSpec& spec, const RunnerOptions& options)
      : spec_(spec), options_(options) {
    for (std::uint32_t n = 0; n < spec_.words.size(); ++n) {
      const std::string& word = spec_.words[n];
      const bool found = spec_.ranges ? HasPlaceholder(word, kFirstPlaceholder) ||
                                            HasPlaceholder(word, kLastPlaceholder)
                                      : spec_.has_arguments && HasPlaceholder(word, kPlaceholder);
      if (found) words_with_placeholder_.push_back(n);
    }
  }

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure& failure) override {
    TaskRecord record{call.attempt + 1, options_.node, {}};
    const TaskOutcome outcome = spec_.files.Any() ? RunWithFiles(call, stop, record, failure)
                                                  : Execute(RunOf(call), stop, {}, record, failure);
    if (outcome == TaskOutcome::kDone) AppendRecord(record, result);
    return outcome;
  }

  TaskOutcome RunRange(model::IndexRange range, std::int32_t attempt, RunLimit& limit,
                       const std::stop_token& stop, model::PackedResults& results,
                       TaskFailure& failure) override {
    const launcher::Run run = RunOf(range, attempt);
    limit.Watch([this, id = run.id](model::TaskIndex last) { launcher_.Limit(id, last); });
    TaskRecord record{attempt + 1, options_.node, {}};
    const TaskOutcome outcome = Execute(
        run, stop, [&limit](std::int64_t item) { limit.NoteDone(item); }, record, failure);
    if (outcome != TaskOutcome::kDone) return outcome;
    record.tasks = limit.End().Size();
    std::string result;
    AppendRecord(record, result);
    results.Append(result);
    for (auto others = record.tasks - 1; others > 0; --others) results.Append(std::string_view());
    return outcome;
  }

  [[nodiscard]] Duration TakeCpuElsewhere() override {
    return std::exchange(cpu_, Duration::zero());
  }

  [[nodiscard]] Duration TakeWaited() override { return std::exchange(waited_, Duration::zero()); }

  [[nodiscard]] model::DataTransfer TakeTransfer() override {
    return options_.files == nullptr ? model::DataTransfer{} : options_.files->TakeTransfer();
  }

 private:
  /// Runs the command in a new directory with its input files, and stores its output files.
  TaskOutcome RunWithFiles(const TaskCall& call, const std::stop_token& stop, TaskRecord& record,
                           TaskFailure& failure) {
    if (options_.files == nullptr || options_.task_directories == nullptr) {
      failure.reason = "this worker has no files for tasks";
      return TaskOutcome::kUnable;
    }
    const auto outputs = OutputsOf(spec_.files, call.index, call.input);
    if (!outputs) return FailedFor(outputs.error(), stop, failure);
    if (auto ready = PrepareLauncher(stop); !ready) {
      failure.reason = ready.error().message;
      return stop.stop_requested() ? TaskOutcome::kStopped : TaskOutcome::kUnable;
    }
    RemoveLeftovers();
    const auto asked = std::chrono::steady_clock::now();
    const auto inputs = options_.files->Acquire(call.index, call.input, stop);
    waited_ += std::chrono::steady_clock::now() - asked;
    if (!inputs) return FailedFor(inputs.error(), stop, failure);
    const TaskOutcome outcome = RunWithInputs(call, *inputs, *outputs, stop, record, failure);
    options_.files->Release(call.index);
    return outcome;
  }

  TaskOutcome RunWithInputs(const TaskCall& call, const std::vector<InputFile>& inputs,
                            const std::vector<DeclaredPath>& outputs, const std::stop_token& stop,
                            TaskRecord& record, TaskFailure& failure) {
    const auto user = launcher_.User();
    if (!user) return FailedFor(user.error(), stop, failure);
    const auto directory = options_.task_directories->Make(inputs, *user, stop);
    if (!directory) return FailedFor(directory.error(), stop, failure);
    launcher::Run run = RunOf(call);
    run.folder = directory->native();
    run.variables.push_back(
        {spec_.has_arguments ? kArgument + 1 : kArgument, "EVENKEEL_TASK_DIRECTORY=" + run.folder});
    TaskOutcome outcome = Execute(run, stop, {}, record, failure);
    if (outcome == TaskOutcome::kDone) {
      const auto stored = StoreOutputs(call.index, *directory, inputs, outputs, stop);
      if (!stored) {
        outcome = FailedFor(stored.error(), stop, failure);
        AppendRecord(record, failure.record);
      }
    }
    options_.task_directories->AddLeftover(*directory);
    RemoveLeftovers();
    return outcome;
  }

  [[nodiscard]] Result<void> StoreOutputs(model::TaskIndex task,
                                          const std::filesystem::path& directory,
                                          const std::vector<InputFile>& inputs,
                                          const std::vector<DeclaredPath>& outputs,
                                          const std::stop_token& stop) {
    if (outputs.empty()) return {};
    const auto files =
        OutputFiles::Collect(launcher_, directory, outputs, inputs, spec_.files.output_bytes);
    if (!files) return tl::unexpected(files.error());
    return options_.files->Store(task, files->Files(), stop);
  }

  /// Only files that are wrong are a failure of the task.
  static TaskOutcome FailedFor(const Error& error, const std::stop_token& stop,
                               TaskFailure& failure) {
    failure.reason = error.message;
    if (stop.stop_requested()) return TaskOutcome::kStopped;
    return error.code == ErrorCode::kInvalidInput ? TaskOutcome::kFailed : TaskOutcome::kUnable;
  }

  /// Removes the directories of runs that have ended, also those of earlier processes. The next
  /// process removes those that cannot be removed now: an attempt after each task could take long.
  void RemoveLeftovers() {
    while (launcher_.Open()) {
      auto directory = options_.task_directories->TakeLeftover();
      if (!directory) return;
      const auto removed = launcher_.RemoveFolder({directory->native()});
      if (!removed) return options_.task_directories->AddLeftover(std::move(*directory));
      std::error_code error(removed->error, std::generic_category());
      if (!error) std::filesystem::remove(*directory, error);
      if (!error) continue;
      Log(LogLevel::kWarning,
          "the directory of a task stays: " + directory->string() + ": " + error.message());
    }
  }

  /// Runs the command and puts its end into `record`, which becomes that of the failure unless the
  /// outcome is kDone.
  TaskOutcome Execute(const launcher::Run& run, const std::stop_token& stop,
                      const LauncherConnection::ProgressHandler& on_progress, TaskRecord& record,
                      TaskFailure& failure) {
    if (FitsLauncher(run.words) && !AwaitLauncher(stop, failure)) return TaskOutcome::kUnable;
    const std::int64_t began = SecondsOfNode();
    auto ended = RunCommand(run, stop, on_progress);
    if (!ended) {
      const std::int64_t lost = SecondsOfNode();
      failure.reason = ended.error().message;
      if (IsContainerGone(stop)) {
        failure.ran = {began, lost};
        failure.reason = "the command container ended while it ran";
        failure.cause = model::FailureCause::kRunnerLost;
      }
      return stop.stop_requested() ? TaskOutcome::kStopped : TaskOutcome::kFailed;
    }
    cpu_ += Duration(ended->cpu_nanoseconds);
    record.ended = std::move(*ended);
    // A command that was stopped may exit with 0 without having done its work.
    const std::int32_t code = ExitCodeOf(record.ended);
    if (code == 0 && !stop.stop_requested()) return TaskOutcome::kDone;
    failure.reason = ReasonOf(record.ended);
    failure.exit_code = code;
    if (record.ended.out_of_memory) failure.cause = model::FailureCause::kOutOfMemory;
    AppendRecord(record, failure.record);
    return stop.stop_requested() ? TaskOutcome::kStopped : TaskOutcome::kFailed;
  }

  [[nodiscard]] Result<Ended> RunCommand(const launcher::Run& run, const std::stop_token& stop,
                                         const LauncherConnection::ProgressHandler& on_progress) {
    if (!FitsLauncher(run.words)) {
      Ended too_long;
      too_long.ending = launcher::Ending::kNoProgram;
      too_long.value = E2BIG;
      return too_long;
    }
    if (auto ready = PrepareLauncher(stop); !ready) return tl::unexpected(ready.error());
    return launcher_.Execute(run, stop, on_progress);
  }

  [[nodiscard]] Result<void> PrepareLauncher(const std::stop_token& stop) {
    return launcher_.Open() ? Result<void>() : launcher_.Prepare(options_, JobOf(), stop);
  }

  /// Whether not even a new command could be started: the launcher has not gone alone. Only asked
  /// after a command has lost its launcher.
  [[nodiscard]] bool IsContainerGone(const std::stop_token& stop) {
    if (options_.launcher_socket.empty() || stop.stop_requested()) return false;
    RunnerOptions at_once = options_;
    at_once.launcher_patience = {};
    return !launcher_.Prepare(at_once, JobOf(), stop);
  }

  /// Connects to the launcher at the given socket, if there is one. False if that fails.
  [[nodiscard]] bool AwaitLauncher(const std::stop_token& stop, TaskFailure& failure) {
    if (launcher_.Open() || options_.launcher_socket.empty()) return true;
    const auto there = launcher_.Prepare(options_, JobOf(), stop);
    if (!there) failure.reason = there.error().message;
    return there.has_value();
  }

  [[nodiscard]] launcher::Job JobOf() const {
    launcher::Job job;
    job.folder = spec_.folder;
    job.words = spec_.words;
    job.follows_progress = spec_.ranges.has_value();
    job.variables = {"JOB_COMPLETION_INDEX=", "EVENKEEL_TASK_INDEX=", "EVENKEEL_ATTEMPT="};
    if (spec_.has_arguments) job.variables.emplace_back("EVENKEEL_ARGUMENT=");
    if (spec_.ranges) {
      job.variables.emplace_back("EVENKEEL_FIRST=");
      job.variables.emplace_back("EVENKEEL_LAST=");
    }
    if (spec_.files.Any()) job.variables.emplace_back("EVENKEEL_TASK_DIRECTORY=");
    job.variables.push_back("EVENKEEL_TASK_COUNT=" + std::to_string(spec_.tasks));
    job.variables.push_back("EVENKEEL_NODE=" + options_.node);
    job.variables.push_back("EVENKEEL_JOB=" + options_.job);
    job.output_limit = spec_.output_limit;
    job.grace_milliseconds = kGraceMilliseconds;
    return job;
  }

  [[nodiscard]] launcher::Run RunFor(model::TaskIndex task, std::int32_t attempt) {
    launcher::Run run;
    run.id = ++runs_;
    const std::string index = std::to_string(task);
    run.variables = {{kCompletionIndex, "JOB_COMPLETION_INDEX=" + index},
                     {kTaskIndex, "EVENKEEL_TASK_INDEX=" + index},
                     {kAttempt, "EVENKEEL_ATTEMPT=" + std::to_string(attempt)}};
    return run;
  }

  [[nodiscard]] launcher::Run RunOf(model::IndexRange range, std::int32_t attempt) {
    launcher::Run run = RunFor(range.begin, attempt);
    const std::string first = std::to_string(range.begin);
    const std::string last = std::to_string(range.end - 1);
    run.variables.push_back({kFirst, "EVENKEEL_FIRST=" + first});
    run.variables.push_back({kLast, "EVENKEEL_LAST=" + last});
    for (const std::uint32_t n : words_with_placeholder_) {
      run.words.push_back(
          {n, ReplacePlaceholder(ReplacePlaceholder(spec_.words[n], kFirstPlaceholder, first),
                                 kLastPlaceholder, last)});
    }
    return run;
  }

  [[nodiscard]] launcher::Run RunOf(const TaskCall& call) {
    launcher::Run run = RunFor(call.index, call.attempt);
    if (!spec_.has_arguments) return run;
    run.variables.push_back({kArgument, "EVENKEEL_ARGUMENT=" + std::string(call.input)});
    for (const std::uint32_t n : words_with_placeholder_) {
      run.words.push_back({n, ReplacePlaceholder(spec_.words[n], kPlaceholder, call.input)});
    }
    if (words_with_placeholder_.empty()) {
      run.words.push_back(
          {static_cast<std::uint32_t>(spec_.words.size()), std::string(call.input)});
    }
    return run;
  }

  const CommandSpec& spec_;
  const RunnerOptions options_;
  std::vector<std::uint32_t>
      words_with_placeholder_;  // indexes of the words that contain a placeholder
  LauncherConnection launcher_;
  std::uint64_t runs_ = 0;
  Duration cpu_{};     // of commands, since the last TakeCpuElsewhere
  Duration waited_{};  // for input files, since the last TakeWaited
};

}  // namespace

std::unique_ptr<TaskRunner> MakeCommandRunner(const CommandSpec& spec,
                                              const RunnerOptions& options) {
  return std::make_unique<CommandRunner>(spec, options);
}

}  // namespace evenkeel::workloads::command
