#include "coordinator/reduce_phase.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "coordinator/job_run.h"
#include "coordinator/run_results.h"
#include "core/base/log.h"
#include "platform/backoff.h"

namespace evenkeel::coordinator {
namespace {

/// A coordinator that is lost while the command runs may be lost because of it.
constexpr std::int32_t kMaxLostRuns = 5;
constexpr Duration kLongestPause = std::chrono::minutes(1);
/// The clock of condition variables ends before the latest Instant.
constexpr Duration kLongestWait = std::chrono::hours(1);

std::string Times(std::int32_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

void FailJob(std::string reason, RunEnd& end) {
  end.state = model::JobState::kFailed;
  end.cause = model::EndCause::kReduceFailed;
  end.reason = std::move(reason);
}

Result<void> MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::kUnavailable, folder.string() + ": " + error.message());
}

std::string TimeoutText(Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
  return "did not end within " + std::to_string(seconds) + " s (spec.taskPolicy.timeoutSeconds)";
}

}  // namespace

void ReducePhase::Interrupt(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (!interrupted_) interrupted_ = reason;
  changed_.notify_all();
}

Result<void> ReducePhase::Run(const Config& config, Journal& journal,
                              const AttemptHandler& on_attempt, RunEnd& end) {
  if (end.state != model::JobState::kComplete || end.superseded || end.journal_error) return {};
  const JobVersion& version = *end.version;
  // The command has another working directory than this process.
  const std::filesystem::path folder = std::filesystem::absolute(config.folder);
  workloads::ReducePlace place{folder, folder / kReduceFolder, config.settings.environment, {}};
  place.runner.job = version.spec().name;
  place.runner.launcher_socket = config.settings.launcher_socket;
  const auto command = version.workload()->MakeReduceCommand(place);
  if (!command) return {};
  auto result = WriteResults(journal, *version.workload(), config.folder);
  if (!result) return tl::unexpected<Error>(result.error());
  end.result_json = std::move(*result);
  if (auto made = MakeFolder(place.folder); !made) return made;
  return RunUntilOver(config, *command, journal, on_attempt, end);
}

Result<void> ReducePhase::RunUntilOver(const Config& config, workloads::ReduceCommand& command,
                                       Journal& journal, const AttemptHandler& on_attempt,
                                       RunEnd& end) {
  const std::string identity = command.Identity();
  const model::TaskPolicy& policy = end.version->spec().task_policy;
  if (config.settings.forgets_failures) {
    if (auto forgotten = journal.ForgetFailedReduce(); !forgotten) return forgotten;
  }
  auto known = journal.ReadReduce(identity);
  if (!known) return tl::unexpected<Error>(known.error());
  ReduceHistory history = std::move(*known);
  platform::Backoff pauses({config.settings.shortest_pause, kLongestPause, 2, {}});
  for (;;) {
    end.reduce = history.last;
    if (history.Succeeded()) return {};
    if (history.failed > policy.backoff_limit_per_task) {
      FailJob("command.reduce failed " + Times(history.failed) + ": " + history.last->failure, end);
      return {};
    }
    if (history.lost >= kMaxLostRuns) {
      FailJob("command.reduce: the coordinator was lost " + Times(history.lost) + " while it ran",
              end);
      return {};
    }
    if (EndedEarly(config, end)) return {};
    on_attempt(history.failed + history.lost + 1);
    if (auto begun = journal.BeginReduce(identity); !begun) return begun;
    const auto ran = RunOnce(command, history.failed, policy.timeout, config.deadline);
    const std::optional<model::ReduceRecord> record = ran.value_or(std::nullopt);
    if (auto ended = journal.EndReduce(record); !ended) return ended;
    if (!ran && config.settings.launcher_socket.empty()) return tl::unexpected<Error>(ran.error());
    if (record) history.last = record;
    if (history.Succeeded()) continue;
    if (record) ++history.failed;
    if (record || !ran) {
      Log(LogLevel::kWarning, end.version->spec().name + ": command.reduce: " +
                                  (record ? record->failure : ran.error().message));
    }
    if (history.failed <= policy.backoff_limit_per_task) Pause(pauses.Next(), config.deadline);
  }
}

Result<std::optional<model::ReduceRecord>> ReducePhase::RunOnce(workloads::ReduceCommand& command,
                                                                std::int32_t failures,
                                                                Duration timeout,
                                                                Instant deadline) {
  const Instant timed_out = clock_.Now() + timeout;
  std::optional<Result<model::ReduceRecord>> record;  // guarded by the mutex
  std::jthread runner([&](const std::stop_token& stop) {
    auto ended = command.Run(failures, stop);
    const std::lock_guard lock(mutex_);
    record = std::move(ended);
    changed_.notify_all();
  });
  {
    std::unique_lock lock(mutex_);
    AwaitUntil(lock, std::min(deadline, timed_out), [&record] { return record.has_value(); });
    // A command that was stopped may exit with 0 without having done its work.
    if (record) return std::move(*record);
    runner.request_stop();
  }
  runner.join();
  if (clock_.Now() >= deadline || clock_.Now() < timed_out) return std::nullopt;
  if (*record) (**record).failure = TimeoutText(timeout);
  return std::move(*record);
}

void ReducePhase::Pause(Duration pause, Instant deadline) {
  std::unique_lock lock(mutex_);
  AwaitUntil(lock, std::min(deadline, clock_.Now() + pause), [] { return false; });
}

template <typename Done>
void ReducePhase::AwaitUntil(std::unique_lock<std::mutex>& lock, Instant until, Done done) {
  for (Instant now = clock_.Now(); now < until && !done() && !interrupted_; now = clock_.Now()) {
    changed_.wait_for(lock, std::min(until - now, kLongestWait));
  }
}

bool ReducePhase::EndedEarly(const Config& config, RunEnd& end) {
  const std::lock_guard lock(mutex_);
  if (interrupted_) {
    end.state = model::JobState::kInterrupted;
    end.cause = model::EndCause::kOther;
    end.reason = *interrupted_;
    return true;
  }
  if (clock_.Now() < config.deadline) return false;
  end.state = model::JobState::kFailed;
  end.cause = model::EndCause::kDeadlineExceeded;
  end.reason = config.deadline_reason;
  return true;
}

}  // namespace evenkeel::coordinator
