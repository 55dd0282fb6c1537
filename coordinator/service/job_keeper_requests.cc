// JobKeeper: what other threads ask of it.
#include "coordinator/service/job_keeper.h"
#include "coordinator/snapshot.h"

namespace evenkeel::coordinator {
namespace {

// More than one operator's requests at a time would only take threads from other requests.
constexpr int kMaxWaitingSuspends = 1;
// Beyond the drain: for results and report to be written.
constexpr Duration kWritingTime = std::chrono::seconds(10);

}  // namespace

void JobKeeper::InterruptLocked(bool at_once) {
  if (!run_ || (interrupted_ && !at_once)) return;
  interrupted_ = true;
  run_->Interrupt(suspended_ ? "suspended" : "told to stop; the next start goes on");
}

void JobKeeper::Stop() {
  const std::lock_guard lock(mutex_);
  ++stops_;
  board_.SetReady(false);
  InterruptLocked(/*at_once=*/stops_ > 1);
  changed_.notify_all();
}

Result<void> JobKeeper::Suspend() {
  std::unique_lock lock(mutex_);
  suspended_ = true;
  changed_.notify_all();
  InterruptLocked(/*at_once=*/false);
  if (resting_) return {};
  if (waiting_suspends_ >= kMaxWaitingSuspends) {
    return Fail(ErrorCode::kUnavailable, "the job is being suspended; ask again");
  }
  ++waiting_suspends_;
  const bool rests = changed_.wait_for(lock, config_.drain_grace + kWritingTime,
                                       [this] { return resting_ || stops_ > 0; });
  --waiting_suspends_;
  if (rests && resting_) return {};
  return Fail(ErrorCode::kUnavailable, "the job has not stopped yet; ask again");
}

void JobKeeper::Resume() {
  const std::lock_guard lock(mutex_);
  if (!suspended_) return;
  ++stops_;
  board_.SetReady(false);
  changed_.notify_all();
}

Result<std::string> JobKeeper::Snapshot() {
  {
    const std::lock_guard lock(mutex_);
    if (!resting_) return Fail(ErrorCode::kConflict, "the job runs; suspend it first");
  }
  // Whoever rests keeps its run until the process ends.
  const std::shared_lock lock(look_mutex_);
  if (!run_) return Fail(ErrorCode::kUnavailable, "the journal cannot be opened");
  return MakeSnapshot(run_->TheJournal());
}

Result<void> JobKeeper::Look(const Visit& visit) const {
  const std::shared_lock lock(look_mutex_);
  if (!looks_allowed_) {
    return Fail(ErrorCode::kUnavailable, "the run has just begun or ended; ask again");
  }
  RunEnd so_far;
  {
    const std::lock_guard progress_lock(progress_mutex_);
    so_far.progress = progress_;
  }
  so_far.state = model::JobState::kRunning;
  so_far.traffic = run_->TrafficSoFar();
  const auto& journal = run_->TheJournal();
  const auto summary = SumUp(outcome_, so_far, earlier_, journal.State().epoch, 0);
  return visit({journal, summary, so_far.progress});
}

}  // namespace evenkeel::coordinator
