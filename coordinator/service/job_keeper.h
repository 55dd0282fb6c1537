#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "coordinator/farewell.h"
#include "coordinator/job_run.h"
#include "coordinator/live/live_feed.h"
#include "coordinator/run_outcome.h"
#include "coordinator/service/job_control.h"
#include "coordinator/service/status_board.h"
#include "core/metrics/job_metrics.h"

namespace evenkeel::coordinator {

struct KeeperConfig {
  model::JobSpec job;
  std::shared_ptr<const workloads::Workload> workload;
  std::vector<engine::ExpectedNode> nodes;
  std::filesystem::path folder;
  std::optional<std::filesystem::path> snapshot;
  ServerOptions server;
  JobSource* source = nullptr;                      ///< as JobRunConfig::source
  Instant started{};                                ///< of the process
  Duration retry = std::chrono::seconds(5);         ///< pause while blocked
  Duration drain_grace = std::chrono::seconds(20);  ///< for running tasks when told to stop
  Duration progress_interval = std::chrono::milliseconds(500);
};

/// Why a coordinator's process ends; also its exit code.
enum class KeeperExit : std::uint8_t { kStopped = 0, kTrouble = 1, kBadInput = 2, kFenced = 5 };

struct KeeperEnd {
  KeeperExit exit = KeeperExit::kStopped;
  std::string reason;  ///< one line unless stopped
};

/// Keeps one job going in one process: opens its journal, runs it, leaves its results, and stays
/// when it is over. A journal that cannot be written (a full disk) blocks the job: it is opened
/// again every now and then, and workers wait. Run belongs to one thread; the rest is thread-safe.
class JobKeeper final : public JobControl, public RunLook {
 public:
  /// All must outlive this. The `feed` is told what happens.
  JobKeeper(KeeperConfig config, StatusBoard& board, metrics::JobMetrics& metrics, LiveFeed& feed,
            const Clock& clock);
  ~JobKeeper() override;

  /// To be called once; returns after Stop, or when nothing can be done here.
  [[nodiscard]] KeeperEnd Run();
  /// Stops in good order; a second time without waiting for running tasks.
  void Stop();

  [[nodiscard]] Result<void> Suspend() override;
  void Resume() override;
  [[nodiscard]] Result<std::string> Snapshot() override;
  [[nodiscard]] Result<void> Look(const Visit& visit) const override;

 private:
  class Watcher;
  /// What became of one attempt.
  struct Turn {
    enum class Next { kRest, kBlocked, kEnd } next = Next::kRest;
    KeeperEnd end;  // its reason, also if blocked
  };

  // job_keeper.cc: the thread in Run.
  Turn TakeTurn();
  Turn Finish(const RunEnd& end);
  Turn OnError(const Error& error);
  [[nodiscard]] Result<std::unique_ptr<JobRun>> Open();
  void Install(std::unique_ptr<JobRun> run, WorkByNode earlier);
  void Uninstall();
  void ForbidLooks();
  void Grow(const JobVersion& job);
  void Conclude(const model::RunSummary& summary);

  // job_keeper_pauses.cc: likewise.
  void Block(const std::string& reason);
  [[nodiscard]] bool SuspendedMeanwhile();
  KeeperEnd Rest();
  void SayFarewell();
  /// Waits at most so long for news of other threads. True if told to stop.
  [[nodiscard]] bool AwaitStop(Duration at_most);

  // job_keeper_requests.cc: other threads.
  void InterruptLocked(bool at_once);

  KeeperConfig config_;
  OutcomeContext outcome_;  // changed by the thread in Run with look_mutex_ held
  StatusBoard& board_;
  metrics::JobMetrics& metrics_;
  LiveFeed& feed_;
  const Clock& clock_;

  // The thread in Run only.
  std::unique_ptr<Farewell> farewell_;
  bool opened_before_ = false;
  std::uint16_t port_ = 0;  // of the workers; stays the same in this process
  std::string said_;        // last reason in the log

  // Changed by the thread in Run with both mutexes held, so that either is enough to read.
  std::unique_ptr<JobRun> run_;
  WorkByNode earlier_;

  mutable std::shared_mutex look_mutex_;  // held by those who look at run_
  bool looks_allowed_ = false;
  mutable std::mutex progress_mutex_;  // innermost
  engine::Progress progress_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int stops_ = 0;
  bool suspended_ = false;
  bool interrupted_ = false;  // the run of this turn
  bool resting_ = false;
  int waiting_suspends_ = 0;
};

}  // namespace evenkeel::coordinator
