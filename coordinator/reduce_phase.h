#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/journal.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

struct RunEnd;

/// Folder, in that of the job, in which the reduce command runs. Its files are results of the job.
inline constexpr const char* kReduceFolder = "reduce";

/// Settings of a reduce command that are not part of the job.
struct ReduceSettings {
  std::vector<std::string> environment;   ///< of the job, "NAME=value"
  std::filesystem::path launcher_socket;  ///< empty: a launcher is started
  /// Runs of earlier starts count only if they succeeded: the user has started the job again.
  bool forgets_failures = false;
  Duration shortest_pause = std::chrono::seconds(1);  ///< after a failure; then twice as long
};

/// Runs a job's reduce command once all tasks are durable, tries it again when it fails, and
/// decides how the job ends. A run that succeeded is recorded before the job ends, and not run
/// again. A run that was interrupted runs again at the next start. Interrupt is thread-safe.
class ReducePhase {
 public:
  struct Config {
    std::filesystem::path folder;  ///< of the job
    ReduceSettings settings;
    Instant deadline = kNever;  ///< when the job fails with `deadline_reason`
    std::string deadline_reason;
  };
  /// Called on the thread in Run before each run of the command, with its number, from 1.
  using AttemptHandler = std::function<void(std::int32_t attempt)>;
  /// `clock` must outlive it.
  explicit ReducePhase(const Clock& clock) : clock_(clock) {}

  /// Does nothing unless `end` says that the job is complete and the job has a reduce command.
  /// Otherwise writes the result files, runs the command, and changes `end`: the job stays complete
  /// only if the command succeeded. To be called once. Errors: those of the journal, of writing
  /// results, and kUnavailable if a launcher cannot be started.
  [[nodiscard]] Result<void> Run(const Config& config, Journal& journal,
                                 const AttemptHandler& on_attempt, RunEnd& end);
  /// Ends the run in progress, and those to come: the job is then interrupted for this reason.
  void Interrupt(const std::string& reason);

 private:
  [[nodiscard]] Result<void> RunUntilOver(const Config& config, workloads::ReduceCommand& command,
                                          Journal& journal, const AttemptHandler& on_attempt,
                                          RunEnd& end);
  /// Nothing: the run was ended by an interrupt or the deadline.
  [[nodiscard]] Result<std::optional<model::ReduceRecord>> RunOnce(
      workloads::ReduceCommand& command, std::int32_t failures, Duration timeout, Instant deadline);
  /// May end early.
  void Pause(Duration pause, Instant deadline);
  /// Waits until `until`, until `done`, or for an interrupt.
  template <typename Done>
  void AwaitUntil(std::unique_lock<std::mutex>& lock, Instant until, Done done);
  /// Ends the job if it was interrupted or its deadline has passed. True if it did.
  [[nodiscard]] bool EndedEarly(const Config& config, RunEnd& end);

  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> interrupted_;  // the reason
};

}  // namespace evenkeel::coordinator
