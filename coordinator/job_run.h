#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/block_home.h"
#include "coordinator/coordinator_loop.h"
#include "coordinator/job_files.h"
#include "coordinator/journal.h"
#include "coordinator/observer_thread.h"
#include "coordinator/output_keeper.h"
#include "coordinator/reduce_phase.h"
#include "coordinator/worker_server.h"
#include "core/base/clock.h"
#include "core/engine/coordinator.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::coordinator {

struct JobRunConfig {
  SharedJobVersion version;
  std::vector<engine::ExpectedNode> nodes;
  bool admit_unexpected = false;
  std::string token;  ///< that every worker must show; empty under mutual TLS
  /// As engine::CoordinatorConfig::epochs; outlives the run.
  const engine::EpochAuthenticator* epochs = nullptr;
  std::filesystem::path folder;  ///< of the journal and the results; must exist
  /// Folder of the input files of tasks, which workers fetch from here; empty if there are none.
  /// Nothing: workers find the files of tasks by themselves.
  std::optional<std::filesystem::path> inputs{};
  ServerOptions server;
  Instant started{};  ///< of the command; the job's time line begins there
  Duration report_interval = std::chrono::seconds(1);
  Duration drain_grace = std::chrono::seconds(5);  ///< for running tasks after an interrupt
  bool keep_workers = false;                       ///< as engine::CoordinatorConfig::keep_workers
  JobSource* source = nullptr;  ///< of new versions; outlives the run; null: none
  CompleteJob complete = CompleteJob::kGoesOn;
  std::optional<model::RerunSelection> rerun{};  ///< as in Journal::Open
  ReduceSettings reduce;
};

/// How a run ended.
struct RunEnd : LoopEnd {
  protocol::Traffic traffic;
  /// If the result files were written already: the `result` object of summary.json.
  std::optional<std::string> result_json;
  std::optional<model::ReduceRecord> reduce;  ///< the last run of the reduce command
};

/// One start of a job's coordinator: a CoordinatorLoop with its journal, its server and its clock.
/// Thread-safe where not said otherwise.
class JobRun final : private StreamListener, private Transport {
 public:
  /// Opens the journal (which raises the epoch) and listens for workers. Errors as of Journal::Open
  /// and WorkerServer::Start; also kInvalidInput if the disk has no room for the results.
  [[nodiscard]] static Result<std::unique_ptr<JobRun>> Open(JobRunConfig config);
  ~JobRun() override;

  /// Where workers connect.
  [[nodiscard]] std::uint16_t Port() const { return server_->Port(); }
  [[nodiscard]] const std::shared_ptr<Journal>& journal() const { return journal_; }
  /// Runs the loop on this thread until the job ends; once. Workers have been told so when it
  /// returns. `observer` may be null.
  [[nodiscard]] RunEnd Run(RunObserver* observer);
  /// After Run: runs the reduce command of a complete job, as ReducePhase::Run. Once, on the same
  /// thread.
  [[nodiscard]] Result<void> Reduce(const ReducePhase::AttemptHandler& on_attempt, RunEnd& end);
  /// Ends all streams. To be called instead of Run if the job is over already.
  void StopListening();
  /// Traffic of all streams so far.
  [[nodiscard]] protocol::Traffic TrafficSoFar() const { return server_->Counters(); }
  /// As FileHome::Trouble. Any thread, while the job runs.
  [[nodiscard]] std::string TroubleWithFiles() const { return files_ ? files_->Trouble() : ""; }
  /// As engine::Coordinator::OnContainerEnds.
  void ReportContainerEnds(engine::ContainerEnds ends);
  /// Stops in good order, as engine::Coordinator::OnInterrupt; a second time at once. Stops the
  /// reduce command as well.
  void Interrupt(const std::string& reason);
  /// The same, but a reduce command runs nevertheless if all tasks are done: it needs no workers.
  void InterruptTasks(const std::string& reason);

 private:
  JobRun(JobRunConfig config, std::unique_ptr<Journal> journal);
  Result<void> ReadVerification();
  Result<void> Listen();
  /// If the job has ended, removes the output files of tasks without a durable result. No worker is
  /// connected any more.
  void CleanUpFiles(const LoopEnd& end);
  [[nodiscard]] CoordinatorLoop::Config LoopConfig();
  /// When activeDeadlineSeconds are over.
  [[nodiscard]] Instant Deadline() const;
  [[nodiscard]] std::string DeadlineReason() const;

  // StreamListener, on the server's threads.
  void OnMessage(StreamId stream, engine::ToCoordinator message) override;
  void OnClosed(StreamId stream) override;
  [[nodiscard]] bool MayReadOn(StreamId stream) override;

  // Transport.
  void Send(StreamId stream, engine::ToWorker message) override;
  void Close(StreamId stream) override;
  void ReadOn(StreamId stream) override;

  const JobRunConfig config_;
  const SteadyClock clock_;
  const std::shared_ptr<Journal> journal_;
  std::optional<engine::VerificationRules> verification_;
  engine::VerifiedSoFar verified_;  // until the run begins
  LoopInbox inbox_;
  // Null: workers fetch none from here. A job has at most one of the two.
  std::unique_ptr<BlockHome> blocks_;
  std::unique_ptr<JobFiles> files_;
  std::unique_ptr<OutputKeeper> keeper_;  // of the output files; null: they may be replaced
  std::unique_ptr<WorkerServer> server_;
  ReducePhase reduce_{clock_};
};

}  // namespace evenkeel::coordinator
