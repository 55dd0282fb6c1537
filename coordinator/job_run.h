#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/job_source.h"
#include "coordinator/journal.h"
#include "coordinator/worker_server.h"
#include "core/base/clock.h"
#include "core/engine/coordinator.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

struct JobRunConfig {
  model::JobSpec job;
  std::shared_ptr<const workloads::Workload> workload;
  std::vector<engine::ExpectedNode> nodes;
  bool admit_unexpected = false;
  std::string token;             ///< that every worker must show; empty under mutual TLS
  std::filesystem::path folder;  ///< of the journal and the results; must exist
  ServerOptions server;
  Instant started{};  ///< of the command; the job's time line begins there
  Duration report_interval = std::chrono::seconds(1);
  Duration drain_grace = std::chrono::seconds(5);  ///< for running tasks after an interrupt
  bool keep_workers = false;                       ///< as engine::CoordinatorConfig::keep_workers
  JobSource* source = nullptr;  ///< asked on the thread of Run; outlives the run; null: none
  CompleteJob complete = CompleteJob::kGoesOn;
};

/// Sees how a run goes. Called on the thread of JobRun::Run.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// About every `ProgressInterval`.
  virtual void OnProgress(const engine::Progress& progress) = 0;
  [[nodiscard]] virtual Duration ProgressInterval() const = 0;
  /// More tasks have results that count.
  virtual void OnCounted(const model::ResultRecord& record) { (void)record; }
  /// Something happened that is no result, such as a move or a prediction.
  virtual void OnEvent(const model::TimelineEvent& event) { (void)event; }
  /// The run has taken tasks that were appended; this is the job now.
  virtual void OnGrown(const JobVersion& job) { (void)job; }
};

/// How a run ended.
struct RunEnd {
  model::JobState state = model::JobState::kRunning;
  std::string reason;         ///< one line unless complete
  engine::Progress progress;  ///< the last one
  protocol::Traffic traffic;
  std::optional<Error> journal_error;  ///< why the journal could not be written, if that was it
  bool superseded = false;             ///< a later start has the job now
  JobVersion job;                      ///< with the tasks that were appended
};

/// One start of a job's coordinator: the state machine with its journal, its server and its clock.
/// One thread owns the state machine; all others hand it events.
class JobRun {
 public:
  /// Opens the journal (which raises the epoch) and listens for workers. Errors as of Journal::Open
  /// and WorkerServer::Start; also kInvalidInput if the disk has no room for the results.
  [[nodiscard]] static Result<std::unique_ptr<JobRun>> Open(JobRunConfig config);
  virtual ~JobRun() = default;

  /// Where workers connect.
  [[nodiscard]] virtual std::uint16_t Port() const = 0;
  [[nodiscard]] virtual Journal& TheJournal() = 0;
  /// Runs until the job ends; once. Workers have been told so when it returns. `observer` may be
  /// null.
  [[nodiscard]] virtual RunEnd Run(RunObserver* observer) = 0;
  /// Instead of Run, if the job is over already: nobody is listened to any more.
  virtual void StopListening() = 0;
  /// What went over the streams so far. Thread-safe.
  [[nodiscard]] virtual protocol::Traffic TrafficSoFar() const = 0;
  /// Stops in good order, as engine::Coordinator::OnInterrupt; a second time at once. Thread-safe.
  virtual void Interrupt(const std::string& reason) = 0;
};

}  // namespace evenkeel::coordinator
