#include "workloads/command/reduce_command.h"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/printable.h"
#include "launcher/placeholder.h"
#include "workloads/command/command_reducer.h"
#include "workloads/command/launcher_connection.h"
#include "workloads/command/task_record.h"

namespace evenkeel::workloads::command {
namespace {

constexpr std::size_t kMaxReasonBytes = 300;
constexpr std::size_t kMaxReasonLines = 3;

/// The first lines of stderr as one line.
std::string FirstLines(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  std::size_t end = begin;
  for (std::size_t lines = 0; lines < kMaxReasonLines && end != std::string::npos; ++lines) {
    end = text.find('\n', lines == 0 ? begin : end + 1);
  }
  std::string quoted = text.substr(begin, end == std::string::npos ? end : end - begin);
  while (!quoted.empty() && (quoted.back() == '\n' || quoted.back() == '\r')) quoted.pop_back();
  for (std::size_t at = quoted.find('\n'); at != std::string::npos; at = quoted.find('\n', at)) {
    quoted.replace(at, 1, " | ");
  }
  return PrintableAscii(quoted, kMaxReasonBytes);
}

class ReduceRun final : public ReduceCommand {
 public:
  ReduceRun(const CommandSpec& spec, const ReducePlace& place)
      : spec_(spec), place_(place), results_((place.results / kResultsFile).string()) {}

  [[nodiscard]] std::string Identity() const override {
    return nlohmann::json(spec_.reduce).dump();
  }

  [[nodiscard]] Result<model::ReduceRecord> Run(std::int32_t failures,
                                                const std::stop_token& stop) override {
    launcher::Job job = JobFor(failures);
    const bool fits = std::all_of(job.words.begin(), job.words.end(), [](const std::string& word) {
      return word.size() <= launcher::kMaxTextBytes;
    });
    if (!fits) {
      launcher::Ended too_long;
      too_long.ending = launcher::Ending::kNoProgram;
      too_long.value = E2BIG;
      return RecordOf(std::move(too_long), failures);
    }
    LauncherConnection launcher;
    const auto ready = launcher.Prepare(place_.runner, job, stop);
    if (!ready) return Fail(ErrorCode::kUnavailable, ready.error().message);
    launcher::Run run;
    run.id = 1;
    auto ended = launcher.Execute(run, stop);
    if (ended) return RecordOf(std::move(*ended), failures);
    model::ReduceRecord lost;  // say because the container ran out of memory
    lost.attempts = failures + 1;
    lost.failure = ended.error().message;
    return lost;
  }

 private:
  [[nodiscard]] launcher::Job JobFor(std::int32_t failures) const {
    launcher::Job job;
    job.folder = place_.folder.string();
    for (const std::string& word : spec_.reduce) {
      job.words.push_back(
          launcher::ReplacePlaceholder(word, launcher::kResultsPlaceholder, results_));
    }
    job.variables = place_.environment;
    job.variables.push_back("EVENKEEL_RESULTS=" + results_);
    job.variables.push_back("EVENKEEL_TASK_COUNT=" + std::to_string(spec_.tasks));
    job.variables.push_back("EVENKEEL_ATTEMPT=" + std::to_string(failures));
    job.variables.push_back("EVENKEEL_JOB=" + place_.runner.job);
    job.output_limit = spec_.output_limit;
    job.grace_milliseconds = kGraceMilliseconds;
    return job;
  }

  static model::ReduceRecord RecordOf(launcher::Ended ended, std::int32_t failures) {
    model::ReduceRecord record;
    record.attempts = failures + 1;
    record.exit_code = ExitCodeOf(ended);
    if (record.exit_code != 0) {
      const std::string lines = FirstLines(ended.error);
      record.failure = EndingText(ended) + (lines.empty() ? "" : ": " + lines);
    }
    record.seconds = SecondsOf(ended);
    record.output_cut = ended.output_cut;
    record.error_cut = ended.error_cut;
    record.output = std::move(ended.output);
    record.error = std::move(ended.error);
    return record;
  }

  const CommandSpec& spec_;
  const ReducePlace place_;
  const std::string results_;
};

}  // namespace

std::unique_ptr<ReduceCommand> MakeReduceCommand(const CommandSpec& spec,
                                                 const ReducePlace& place) {
  return std::make_unique<ReduceRun>(spec, place);
}

}  // namespace evenkeel::workloads::command
