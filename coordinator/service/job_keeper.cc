#include "coordinator/service/job_keeper.h"

#include <algorithm>
#include <utility>

#include "coordinator/job_inputs.h"
#include "coordinator/service/result_files.h"
#include "coordinator/snapshot.h"
#include "coordinator/sqlite_database.h"
#include "core/base/digest.h"
#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

/// For the reader of a status, who has no command to run again.
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

OutcomeContext OutcomeOf(const KeeperConfig& config) {
  OutcomeContext context;
  context.job = config.job;
  context.workload = config.workload;
  context.folder = config.folder;
  for (const auto& node : config.nodes) {
    if (node.left_out) context.left_out.push_back({node.name, {}});
  }
  return context;
}

/// What a summary still knows of the progress of a job that an earlier process completed.
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

/// Passes on what a run shows of itself. Called on the thread in Run.
class JobKeeper::Watcher final : public RunObserver {
 public:
  explicit Watcher(JobKeeper& keeper)
      : keeper_(keeper),
        done_before_(keeper.run_->TheJournal().State().completed.Size()),
        begun_(keeper.clock_.Now()) {}

  void OnProgress(const engine::Progress& progress) override {
    const auto traffic = keeper_.run_->TrafficSoFar();
    keeper_.metrics_.Update(progress, {traffic.bytes_sent, traffic.bytes_received});
    JobStatus status = *keeper_.board_.Read();
    Apply(progress, keeper_.earlier_, status);
    if (status.blocked && GoesOn(progress)) {
      status.blocked = false;
      status.reason.clear();
      keeper_.said_.clear();
    }
    keeper_.board_.Publish(std::move(status));
    keeper_.feed_.OnTick();
    const std::lock_guard lock(keeper_.progress_mutex_);
    keeper_.progress_ = progress;
  }
  [[nodiscard]] Duration ProgressInterval() const override {
    return keeper_.config_.progress_interval;
  }
  void OnCounted(const model::ResultRecord& record) override {
    keeper_.metrics_.ObserveTasks(record.range.Size(), record.busy);
    keeper_.feed_.OnCounted(record);
  }
  void OnEvent(const model::TimelineEvent& event) override { keeper_.feed_.OnEvent(event); }
  void OnGrown(const JobVersion& job) override { keeper_.Grow(job); }

 private:
  /// A journal that could be opened again may still have no room for the next result.
  [[nodiscard]] bool GoesOn(const engine::Progress& progress) const {
    return progress.tasks_completed > done_before_ ||
           keeper_.clock_.Now() - begun_ > 2 * keeper_.config_.retry;
  }

  JobKeeper& keeper_;
  const std::int64_t done_before_;
  const Instant begun_;
};

JobKeeper::JobKeeper(KeeperConfig config, StatusBoard& board, metrics::JobMetrics& metrics,
                     LiveFeed& feed, const Clock& clock)
    : config_(std::move(config)),
      outcome_(OutcomeOf(config_)),
      board_(board),
      metrics_(metrics),
      feed_(feed),
      clock_(clock) {
  JobStatus status;
  status.tasks_total = config_.workload->TaskCount();
  board_.Publish(std::move(status));
}

JobKeeper::~JobKeeper() = default;

KeeperEnd JobKeeper::Run() {
  for (;;) {
    Turn turn = TakeTurn();
    if (turn.next == Turn::Next::kEnd) return std::move(turn.end);
    if (turn.next == Turn::Next::kRest) return Rest();
    Block(turn.end.reason);
    if (AwaitStop(config_.retry)) return {};
    if (SuspendedMeanwhile()) return Rest();
  }
}

JobKeeper::Turn JobKeeper::TakeTurn() {
  // 1. The journal, and what is in it.
  auto run = Open();
  if (!run) return OnError(run.error());
  auto earlier = ReadEarlierWork((*run)->TheJournal(), *config_.workload->Costs());
  if (!earlier) return OnError(earlier.error());
  const JournalState& known = (*run)->TheJournal().State();
  Install(std::move(*run), std::move(*earlier));
  // 2. A job that was complete before is not run again.
  if (known.complete) {
    const auto summary = RefreshResults(outcome_, run_->TheJournal());
    if (summary) {
      run_->StopListening();
      metrics_.Update(ProgressOf(*summary), {});
      Conclude(*summary);
      return {};
    }
    if (summary.error().code == ErrorCode::kStorageFull) return OnError(summary.error());
  }
  // 3. The run. 4. What it leaves behind.
  Watcher watcher(*this);
  const RunEnd end = run_->Run(&watcher);
  watcher.OnProgress(end.progress);
  ForbidLooks();
  return Finish(end);
}

JobKeeper::Turn JobKeeper::Finish(const RunEnd& end) {
  if (end.superseded) {
    return {Turn::Next::kEnd, {KeeperExit::kFenced, config_.job.name + ": " + end.reason}};
  }
  if (end.journal_error) return OnError(*end.journal_error);
  const auto summary = LeaveResults(outcome_, run_->TheJournal(), end, earlier_);
  if (!summary) return OnError(summary.error());
  Conclude(*summary);
  return {};
}

// A process that has had the job once stays with it: its workers wait for it.
JobKeeper::Turn JobKeeper::OnError(const Error& error) {
  Uninstall();
  const std::string reason = ForStatus(error.message);
  switch (error.code) {
    case ErrorCode::kInUse:
      return {Turn::Next::kEnd, {KeeperExit::kFenced, reason}};
    case ErrorCode::kInvalidInput:
    case ErrorCode::kConflict:
      return {Turn::Next::kEnd, {KeeperExit::kBadInput, reason}};
    case ErrorCode::kStorageFull:
      break;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
      if (!opened_before_) return {Turn::Next::kEnd, {KeeperExit::kTrouble, reason}};
      break;
  }
  return {Turn::Next::kBlocked, {KeeperExit::kTrouble, reason}};
}

Result<std::unique_ptr<JobRun>> JobKeeper::Open() {
  if (config_.snapshot) {
    const auto seeded =
        IdentityOf(config_.job, config_.workload).and_then([this](const JobIdentity& identity) {
          return SeedFolder(*config_.snapshot, config_.folder, identity);
        });
    if (!seeded) return tl::unexpected(seeded.error());
  }
  JobRunConfig config;
  config.job = config_.job;
  config.workload = config_.workload;
  config.nodes = config_.nodes;
  config.admit_unexpected = true;
  config.folder = config_.folder;
  config.server = config_.server;
  config.started = opened_before_ ? clock_.Now() : config_.started;
  config.drain_grace = config_.drain_grace;
  config.keep_workers = true;
  config.source = config_.source;
  config.complete = CompleteJob::kStays;
  return JobRun::Open(std::move(config));
}

void JobKeeper::Install(std::unique_ptr<JobRun> run, WorkByNode earlier) {
  const JournalState& known = run->TheJournal().State();
  JobStatus status = *board_.Read();
  status.epoch = known.epoch;
  status.workload_digest = DigestOf(known.parameters);
  status.state = model::JobState::kRunning;
  status.tasks_completed = known.completed.Size();
  status.progress = DoneRatio(known.completed, *config_.workload->Costs());
  if (!opened_before_) status.resumed_tasks = known.completed.Size();
  if (port_ == 0) {
    port_ = run->Port();
    const std::size_t colon = config_.server.address.rfind(':');
    config_.server.address = config_.server.address.substr(0, colon + 1) + std::to_string(port_);
  }
  if (!status.blocked) {  // or the log would fill as well
    Log(LogLevel::kInfo, config_.job.name + ": start " + std::to_string(known.epoch) + ", " +
                             std::to_string(known.completed.Size()) + " of " +
                             std::to_string(config_.workload->TaskCount()) +
                             " tasks are done; workers on port " + std::to_string(port_));
  }
  opened_before_ = true;
  feed_.Forget();
  board_.Publish(std::move(status));

  const std::scoped_lock locks(look_mutex_, mutex_);
  run_ = std::move(run);
  earlier_ = std::move(earlier);
  looks_allowed_ = !known.complete;
  interrupted_ = false;
  board_.SetReady(stops_ == 0);
  if (stops_ > 0 || suspended_) InterruptLocked(/*at_once=*/false);
}

void JobKeeper::Uninstall() {
  std::unique_ptr<JobRun> gone;  // destroyed without the locks: its server may take a while
  const std::scoped_lock locks(look_mutex_, mutex_);
  gone = std::move(run_);
  looks_allowed_ = false;
}

void JobKeeper::ForbidLooks() {
  const std::unique_lock lock(look_mutex_);
  looks_allowed_ = false;
}

void JobKeeper::Grow(const JobVersion& job) {
  config_.job = job.job;
  config_.workload = job.workload;
  {
    const std::unique_lock lock(look_mutex_);
    outcome_.job = job.job;
    outcome_.workload = job.workload;
  }
  JobStatus status = *board_.Read();
  status.workload_digest = DigestOf(job.job.workload_parameters);
  board_.Publish(std::move(status));
}

void JobKeeper::Conclude(const model::RunSummary& summary) {
  JobStatus status = *board_.Read();
  // Of a job that an earlier process completed nothing is known yet.
  if (status.workers.empty()) Apply(engine::Progress{}, earlier_, status);
  Apply(summary, status);
  if (summary.state == model::JobState::kComplete) {
    status.result_files = ResultFiles(config_.folder);
  }
  const std::string because = status.reason.empty() ? "" : ": " + status.reason;
  Log(LogLevel::kInfo, config_.job.name + ": " + StateText(status) + because);
  board_.Publish(std::move(status));
}

}  // namespace evenkeel::coordinator
