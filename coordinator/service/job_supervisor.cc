#include "coordinator/service/job_supervisor.h"

#include <algorithm>
#include <utility>

#include "coordinator/rerun.h"
#include "coordinator/run_results.h"
#include "coordinator/snapshot.h"
#include "coordinator/sqlite_database.h"
#include "core/base/digest.h"
#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

// The port of the run may take a moment to be free again.
constexpr Duration kServerRetry = std::chrono::milliseconds(500);
// Each waiting request takes a thread of the control server.
// Beyond the drain: for results and report to be written.

/// Readers of a status have no command to run again.
std::string ForStatus(std::string reason) {
  const std::size_t advice = reason.find(kWhenThereIsRoom);
  if (advice == std::string::npos) return reason;
  return reason.replace(advice, kWhenThereIsRoom.size(), "; the job goes on when there is room");
}

double DoneRatio(const model::RangeSet& completed, const model::CostModel& costs) {
  double done = 0;
  completed.ForEach([&](model::IndexRange range) { done += static_cast<double>(costs.Of(range)); });
  return costs.Total() > 0 ? done / static_cast<double>(costs.Total()) : 0;
}

/// As much of the progress as is in the summary of a job that an earlier process completed.
engine::Progress ProgressOf(const model::RunSummary& summary) {
  engine::Progress progress;
  progress.tasks_total = summary.tasks_total;
  progress.tasks_completed = summary.tasks_completed;
  progress.tasks_failed = summary.tasks_failed;
  progress.cost_done_ratio = 1;
  progress.moves = summary.moves;
  for (const auto& node : summary.nodes) {
    engine::NodeProgress row{node};
    row.rate = node.mean_rate;
    progress.nodes.push_back(std::move(row));
  }
  return progress;
}

}  // namespace

/// Publishes what a run shows. Called on the run's observer thread while Run waits for the run.
class JobSupervisor::Observer final : public RunObserver {
 public:
  explicit Observer(JobSupervisor& supervisor)
      : supervisor_(supervisor),
        done_before_(supervisor.run_->journal()->State().completed.Size()),
        begun_(supervisor.clock_.Now()) {}

  void OnProgress(const engine::Progress& progress) override {
    const auto traffic = supervisor_.run_->TrafficSoFar();
    supervisor_.metrics_.Update(progress, {traffic.bytes_sent, traffic.bytes_received});
    JobStatus status = *supervisor_.board_.Read();
    Apply(progress, supervisor_.earlier_, status);
    if (const std::string trouble = supervisor_.run_->TroubleWithFiles(); !trouble.empty()) {
      status.blocked = true;
      status.reason = trouble;
      files_blocked_ = true;
    } else if (status.blocked && (files_blocked_ || IsUnblocked(progress))) {
      status.blocked = files_blocked_ = false;
      status.reason.clear();
      supervisor_.last_error_.clear();
    }
    supervisor_.board_.Publish(std::move(status));
    supervisor_.feed_.OnTick();
    supervisor_.snapshots_.SetProgress(progress);
  }
  [[nodiscard]] Duration ProgressInterval() const override {
    return supervisor_.config_.progress_interval;
  }
  void OnCounted(const model::ResultRecord& record) override {
    supervisor_.metrics_.ObserveTasks(record.range.Size(), record.busy);
    supervisor_.feed_.OnCounted(record);
  }
  void OnCountedUnseen(std::int64_t tasks, Duration busy) override {
    supervisor_.metrics_.ObserveTasks(tasks, busy);
    supervisor_.feed_.Forget();  // it reads the journal at the next request
  }
  void OnEvent(const model::TimelineEvent& event) override { supervisor_.feed_.OnEvent(event); }
  void OnNewVersion(const SharedJobVersion& version) override {
    supervisor_.config_.version = version;
    supervisor_.snapshots_.SetVersion(version);
    JobStatus status = *supervisor_.board_.Read();
    status.workload_digest = DigestOf(version->spec().workload_parameters);
    supervisor_.board_.Publish(std::move(status));
  }

 private:
  /// A journal that could be opened again may still have no room for the next result.
  [[nodiscard]] bool IsUnblocked(const engine::Progress& progress) const {
    return progress.tasks_completed > done_before_ ||
           supervisor_.clock_.Now() - begun_ > 2 * supervisor_.config_.retry;
  }

  JobSupervisor& supervisor_;
  const std::int64_t done_before_;
  const Instant begun_;
  bool files_blocked_ = false;  // the job is, because output files cannot be stored
};

JobSupervisor::JobSupervisor(SupervisorConfig config, StatusBoard& board,
                             metrics::JobMetrics& metrics, LiveFeed& feed, const Clock& clock)
    : config_(std::move(config)), board_(board), metrics_(metrics), feed_(feed), clock_(clock) {
  JobStatus status;
  status.tasks_total = config_.version->TaskCount();
  board_.Publish(std::move(status));
}

JobSupervisor::~JobSupervisor() = default;

SupervisorEnd JobSupervisor::Run() {
  for (;;) {
    Attempt attempt = TryToRun();
    if (attempt.next == Attempt::Next::kEnd) return std::move(attempt.end);
    if (attempt.next == Attempt::Next::kIdle) return Idle();
    Block(attempt.end.reason);
    if (AwaitStop(config_.retry)) return {};
    if (SuspendedWhileBlocked()) return Idle();
  }
}

JobSupervisor::Attempt JobSupervisor::TryToRun() {
  // 1. The journal, and what is in it.
  auto run = Open();
  if (!run) return OnError(run.error());
  auto earlier = ReadEarlierWork(*(*run)->journal(), *config_.version->costs());
  if (!earlier) return OnError(earlier.error());
  earlier_ = std::move(*earlier);
  Install(std::move(*run));
  // 2. A job that was complete before is not run again.
  if (run_->journal()->State().complete) {
    const auto summary = RefreshResults(Outcome(), *run_->journal());
    if (summary) {
      run_->StopListening();
      metrics_.Update(ProgressOf(*summary), {});
      Conclude(*summary);
      return {};
    }
    if (summary.error().code == ErrorCode::kStorageFull) return OnError(summary.error());
  }
  // 3. The run. 4. Its results.
  Observer observer(*this);
  snapshots_.Open({run_->journal(), Outcome(), earlier_, [this] { return run_->TrafficSoFar(); }});
  RunEnd end = run_->Run(&observer);
  observer.OnProgress(end.progress);
  const auto reduced = run_->Reduce([this](std::int32_t attempt) { PublishReduce(attempt); }, end);
  snapshots_.Close();
  if (!reduced) return OnError(reduced.error());
  return Finish(end);
}

JobSupervisor::Attempt JobSupervisor::Finish(const RunEnd& end) {
  if (end.superseded) {
    return {Attempt::Next::kEnd, {SupervisorExit::kFenced, JobName() + ": " + end.reason}};
  }
  if (end.journal_error) return OnError(*end.journal_error);
  const auto summary = LeaveResults(Outcome(), *run_->journal(), end, earlier_);
  if (!summary) return OnError(summary.error());
  Conclude(*summary);
  return {};
}

void JobSupervisor::PublishReduce(std::int32_t attempt) {
  JobStatus status = *board_.Read();
  status.reduce_attempt = attempt;
  status.reason = "all tasks are done; the reduce command runs, attempt " + std::to_string(attempt);
  status.eta_seconds.reset();
  Log(LogLevel::kInfo, JobName() + ": " + status.reason);
  board_.Publish(std::move(status));
}

// A process that has opened the job's journal once keeps trying: the job's workers wait for it.
JobSupervisor::Attempt JobSupervisor::OnError(const Error& error) {
  Uninstall();
  const std::string reason = ForStatus(error.message);
  switch (error.code) {
    case ErrorCode::kInUse:
      return {Attempt::Next::kEnd, {SupervisorExit::kFenced, reason}};
    case ErrorCode::kInvalidInput:
    case ErrorCode::kConflict:
      return {Attempt::Next::kEnd, {SupervisorExit::kBadInput, reason}};
    case ErrorCode::kStorageFull:
      break;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
      if (!opened_before_) return {Attempt::Next::kEnd, {SupervisorExit::kTrouble, reason}};
      break;
  }
  return {Attempt::Next::kRetry, {SupervisorExit::kTrouble, reason}};
}

// Before there is a journal: a start that is cut off is repeated.
Result<void> JobSupervisor::TakeOverFiles() const {
  std::error_code ignored;
  const bool begun = std::filesystem::exists(config_.folder / "journal.db", ignored);
  if (begun || !config_.version->workload()->HasFiles()) return {};
  return JobFiles::TakeOver(*config_.earlier, config_.folder);
}

Result<std::unique_ptr<JobRun>> JobSupervisor::Open() {
  if (config_.snapshot || config_.earlier) {
    const auto seeded =
        IdentityOf(*config_.version).and_then([this](const JobIdentity& identity) -> Result<void> {
          // A snapshot is of this job, so it is newer.
          if (config_.snapshot) return SeedFolder(*config_.snapshot, config_.folder, identity);
          if (auto taken = TakeOverFiles(); !taken) return taken;
          return SeedFromEarlierJob(*config_.earlier, config_.folder, identity,
                                    *config_.version->spec().rerun);
        });
    if (!seeded) return tl::unexpected(seeded.error());
  }
  JobRunConfig config;
  config.version = config_.version;
  config.nodes = config_.nodes;
  config.admit_unexpected = true;
  config.folder = config_.folder;
  config.inputs = config_.inputs;
  config.server = config_.server;
  config.epochs = config_.epochs;
  config.started = opened_before_ ? clock_.Now() : config_.started;
  config.drain_grace = config_.drain_grace;
  config.keep_workers = true;
  config.source = config_.source;
  config.complete = CompleteJob::kStays;
  config.reduce.launcher_socket = config_.launcher_socket;
  return JobRun::Open(std::move(config));
}

void JobSupervisor::Install(std::unique_ptr<JobRun> run) {
  const JournalState& known = run->journal()->State();
  JobStatus status = *board_.Read();
  status.epoch = known.epoch;
  status.workload_digest = DigestOf(known.parameters);
  status.state = model::JobState::kRunning;
  status.tasks_completed = known.completed.Size();
  status.progress = DoneRatio(known.completed, *config_.version->costs());
  if (!opened_before_) status.resumed_tasks = known.completed.Size();
  if (port_ == 0) {
    port_ = run->Port();
    const std::size_t colon = config_.server.address.rfind(':');
    config_.server.address = config_.server.address.substr(0, colon + 1) + std::to_string(port_);
  }
  if (!status.blocked) {  // or each attempt would add a line to the log
    Log(LogLevel::kInfo, JobName() + ": start " + std::to_string(known.epoch) + ", " +
                             std::to_string(known.completed.Size()) + " of " +
                             std::to_string(config_.version->TaskCount()) +
                             " tasks are done; workers on port " + std::to_string(port_));
  }
  opened_before_ = true;
  feed_.Forget();
  board_.Publish(std::move(status));

  const std::lock_guard lock(mutex_);
  run_ = std::move(run);
  if (container_ends_) run_->ReportContainerEnds(*container_ends_);
  interrupted_ = false;
  board_.SetReady(stops_ == 0);
  if (stops_ > 0 || suspended_) InterruptLocked(/*at_once=*/false);
}

void JobSupervisor::Uninstall() {
  std::shared_ptr<JobRun> gone;  // destroyed without the lock: its server may take a while
  const std::lock_guard lock(mutex_);
  gone = std::move(run_);
}

OutcomeContext JobSupervisor::Outcome() const {
  OutcomeContext context;
  context.version = config_.version;
  context.tasks = DescribeTasks(config_.version->spec());
  context.folder = config_.folder;
  for (const auto& node : config_.nodes) {
    if (node.left_out) context.left_out.push_back({node.name, {}});
  }
  return context;
}

void JobSupervisor::Conclude(const model::RunSummary& summary) {
  JobStatus status = *board_.Read();
  // A job that an earlier process completed has no rows of workers yet.
  if (status.workers.empty()) Apply(engine::Progress{}, earlier_, status);
  Apply(summary, status);
  if (summary.state == model::JobState::kComplete) {
    status.result_files = ResultFiles(config_.folder);
  }
  const std::string because = status.reason.empty() ? "" : ": " + status.reason;
  Log(LogLevel::kInfo, JobName() + ": " + StateText(status) + because);
  board_.Publish(std::move(status));
}

void JobSupervisor::Block(const std::string& reason) {
  JobStatus status = *board_.Read();
  status.blocked = true;
  status.reason = reason;
  status.eta_seconds.reset();
  for (auto& worker : status.workers) worker.connected = false;
  board_.Publish(std::move(status));
  board_.SetReady(true);
  if (reason != last_error_) Log(LogLevel::kError, JobName() + ": blocked: " + reason);
  last_error_ = reason;
}

// A blocked job has no run that could be interrupted: it is suspended as it is.
bool JobSupervisor::SuspendedWhileBlocked() {
  {
    const std::lock_guard lock(mutex_);
    if (!suspended_) return false;
  }
  JobStatus status = *board_.Read();
  status.state = model::JobState::kInterrupted;
  status.blocked = false;
  status.reason = "suspended; " + status.reason;
  board_.Publish(std::move(status));
  return true;
}

SupervisorEnd JobSupervisor::Idle() {
  {
    const std::lock_guard lock(mutex_);
    idle_ = true;
    changed_.notify_all();
  }
  do {
    ServeFinishedJob();
  } while (!AwaitStop(finished_job_server_ ? Duration::max() : kServerRetry));
  return {};
}

// Workers of a job that was interrupted wait for its next start.
void JobSupervisor::ServeFinishedJob() {
  const auto status = board_.Read();
  if (finished_job_server_ || status->state == model::JobState::kInterrupted) return;
  auto server = FinishedJobServer::Start(config_.server, "the job is " + StateText(*status));
  if (server) {
    finished_job_server_ = std::move(*server);
  } else if (server.error().message != last_error_) {
    last_error_ = server.error().message;
    Log(LogLevel::kWarning, last_error_);
  }
}

bool JobSupervisor::AwaitStop(Duration at_most) {
  std::unique_lock lock(mutex_);
  const auto told = [this] { return stops_ > 0 || (suspended_ && !idle_); };
  // The clock of condition variables ends before the longest duration does.
  constexpr Duration kLongestWait = std::chrono::hours(24);
  do {
    if (changed_.wait_for(lock, std::min(at_most, kLongestWait), told)) break;
  } while (at_most > kLongestWait);
  return stops_ > 0;
}

void JobSupervisor::InterruptLocked(bool at_once) {
  if (!run_ || (interrupted_ && !at_once)) return;
  interrupted_ = true;
  run_->Interrupt(suspended_ ? "suspended" : "told to stop; the next start goes on");
}

void JobSupervisor::Stop() {
  const std::lock_guard lock(mutex_);
  ++stops_;
  board_.SetReady(false);
  InterruptLocked(/*at_once=*/stops_ > 1);
  changed_.notify_all();
}

void JobSupervisor::Suspend() {
  const std::lock_guard lock(mutex_);
  // After Resume() the process ends; the next one is told again.
  if (resumed_) return;
  suspended_ = true;
  changed_.notify_all();
  InterruptLocked(/*at_once=*/false);
}

void JobSupervisor::Resume() {
  const std::lock_guard lock(mutex_);
  if (!suspended_ || resumed_) return;
  resumed_ = true;
  ++stops_;
  board_.SetReady(false);
  changed_.notify_all();
}

bool JobSupervisor::IsToBeSuspended() const {
  const std::lock_guard lock(mutex_);
  return suspended_ && !resumed_;
}

void JobSupervisor::ReportContainerEnds(engine::ContainerEnds ends, std::string digest) {
  const std::lock_guard lock(mutex_);
  container_ends_ = std::move(ends);
  container_ends_digest_ = std::move(digest);
  if (run_) run_->ReportContainerEnds(*container_ends_);
}

std::string JobSupervisor::ContainerEndsDigest() const {
  const std::lock_guard lock(mutex_);
  return container_ends_digest_;
}

Result<std::string> JobSupervisor::Snapshot() {
  std::shared_ptr<JobRun> run;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_) return Fail(ErrorCode::kConflict, "the job runs; suspend it first");
    run = run_;
  }
  if (!run) return Fail(ErrorCode::kUnavailable, "the journal cannot be opened");
  if (config_.version->workload()->HasFiles()) {
    return Fail(
        ErrorCode::kStorageFull,
        "the output files of tasks have no room in a snapshot: a job with such files needs a "
        "claim (spec.resultStorage) to be suspended");
  }
  return MakeSnapshot(*run->journal());
}

}  // namespace evenkeel::coordinator
