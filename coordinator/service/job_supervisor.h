#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "coordinator/job_run.h"
#include "coordinator/live/live_feed.h"
#include "coordinator/run_snapshots.h"
#include "coordinator/service/finished_job_server.h"
#include "coordinator/service/job_control.h"
#include "coordinator/service/status_board.h"
#include "core/metrics/job_metrics.h"

namespace evenkeel::coordinator {

struct SupervisorConfig {
  SharedJobVersion version;
  std::vector<engine::ExpectedNode> nodes;
  std::filesystem::path folder;
  std::filesystem::path inputs;                   ///< as JobRunConfig::inputs
  std::optional<std::filesystem::path> snapshot;  ///< of a journal to start from
  /// Folder of the earlier job that spec.rerun of `version` names; its journal is the start.
  std::optional<std::filesystem::path> earlier;
  ServerOptions server;
  /// As engine::CoordinatorConfig::epochs; must outlive the supervisor.
  const engine::EpochAuthenticator* epochs = nullptr;
  JobSource* source = nullptr;                      ///< as JobRunConfig::source
  std::filesystem::path launcher_socket;            ///< as ReduceSettings::launcher_socket
  Instant started{};                                ///< of the process
  Duration retry = std::chrono::seconds(5);         ///< pause between attempts while blocked
  Duration drain_grace = std::chrono::seconds(20);  ///< for running tasks when told to stop
  Duration progress_interval = std::chrono::milliseconds(500);
};

/// Why a coordinator's process ends; also its exit code.
enum class SupervisorExit : std::uint8_t {
  kStopped = 0,
  kTrouble = 1,
  kBadInput = 2,
  kFenced = 5  ///< another coordinator has the job
};

struct SupervisorEnd {
  SupervisorExit exit = SupervisorExit::kStopped;
  std::string reason;  ///< one line unless stopped
};

/// Supervises one job in one process: opens its journal, runs it, writes its results, and stays
/// idle when it is over. A journal that cannot be written (a full disk) blocks the job: it is
/// opened again from time to time while workers wait. Run belongs to one thread; the rest is
/// thread-safe.
class JobSupervisor final : public JobControl {
 public:
  /// All must outlive this. The `feed` observes the run.
  JobSupervisor(SupervisorConfig config, StatusBoard& board, metrics::JobMetrics& metrics,
                LiveFeed& feed, const Clock& clock);
  ~JobSupervisor() override;

  /// To be called once; returns after Stop, or when nothing can be done here.
  [[nodiscard]] SupervisorEnd Run();
  /// Stops in good order; a second time without waiting for running tasks.
  void Stop();

  void Suspend() override;
  void Resume() override;
  [[nodiscard]] bool IsToBeSuspended() const override;
  void ReportContainerEnds(engine::ContainerEnds ends, std::string digest) override;
  [[nodiscard]] std::string ContainerEndsDigest() const override;
  [[nodiscard]] Result<std::string> Snapshot() override;

  /// Snapshots of the run, for pages.
  [[nodiscard]] const SnapshotSource& snapshots() const { return snapshots_; }

 private:
  class Observer;
  /// How one attempt to run the job ended.
  struct Attempt {
    enum class Next { kIdle, kRetry, kEnd } next = Next::kIdle;
    SupervisorEnd end;  // its reason, also if the job is blocked
  };

  // The thread in Run:
  Attempt TryToRun();
  Attempt Finish(const RunEnd& end);
  /// Publishes that the reduce command runs.
  void PublishReduce(std::int32_t attempt);
  Attempt OnError(const Error& error);
  /// The output files of the tasks of the earlier job that spec.rerun names.
  [[nodiscard]] Result<void> TakeOverFiles() const;
  [[nodiscard]] Result<std::unique_ptr<JobRun>> Open();
  void Install(std::unique_ptr<JobRun> run);
  void Uninstall();
  void Conclude(const model::RunSummary& summary);
  void Block(const std::string& reason);
  /// Whether the job was suspended while it was blocked.
  [[nodiscard]] bool SuspendedWhileBlocked();
  SupervisorEnd Idle();
  void ServeFinishedJob();
  /// Waits at most so long for a request of another thread. True if told to stop.
  [[nodiscard]] bool AwaitStop(Duration at_most);

  [[nodiscard]] OutcomeContext Outcome() const;
  [[nodiscard]] const std::string& JobName() const { return config_.version->spec().name; }
  void InterruptLocked(bool at_once);

  // Changed by the thread in Run, and by the observer's thread while that waits for the run.
  SupervisorConfig config_;
  StatusBoard& board_;
  metrics::JobMetrics& metrics_;
  LiveFeed& feed_;
  const Clock& clock_;
  RunSnapshots snapshots_;
  WorkByNode earlier_;      // what earlier starts of the job did
  std::string last_error_;  // the last one in the log

  // The thread in Run only.
  std::unique_ptr<FinishedJobServer> finished_job_server_;
  bool opened_before_ = false;
  std::uint16_t port_ = 0;  // of the workers; stays the same in this process

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::shared_ptr<JobRun> run_;                          // changed by the thread in Run
  std::optional<engine::ContainerEnds> container_ends_;  // the last report of the operator
  std::string container_ends_digest_;
  int stops_ = 0;
  bool suspended_ = false;
  bool interrupted_ = false;  // the run of this attempt
  bool idle_ = false;
  bool resumed_ = false;
};

}  // namespace evenkeel::coordinator
