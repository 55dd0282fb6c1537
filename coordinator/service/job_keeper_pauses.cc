// JobKeeper: what it does while there is nothing to run.
#include <algorithm>
#include <utility>

#include "coordinator/service/job_keeper.h"
#include "core/base/log.h"

namespace evenkeel::coordinator {
namespace {

// The port that the run had may take a moment to be free again.
constexpr Duration kFarewellRetry = std::chrono::milliseconds(500);

}  // namespace

void JobKeeper::Block(const std::string& reason) {
  JobStatus status = *board_.Read();
  status.blocked = true;
  status.reason = reason;
  status.eta_seconds.reset();
  for (auto& worker : status.workers) worker.connected = false;
  board_.Publish(std::move(status));
  board_.SetReady(true);
  if (reason != said_) Log(LogLevel::kError, config_.job.name + ": blocked: " + reason);
  said_ = reason;
}

// A job that is blocked does not run: it can be suspended as it is.
bool JobKeeper::SuspendedMeanwhile() {
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

KeeperEnd JobKeeper::Rest() {
  {
    const std::lock_guard lock(mutex_);
    resting_ = true;
    changed_.notify_all();
  }
  do {
    SayFarewell();
  } while (!AwaitStop(farewell_ ? Duration::max() : kFarewellRetry));
  return {};
}

// A job that was interrupted has its workers wait for the next start.
void JobKeeper::SayFarewell() {
  const auto status = board_.Read();
  if (farewell_ || status->state == model::JobState::kInterrupted) return;
  auto farewell = Farewell::Start(config_.server, "the job is " + StateText(*status));
  if (farewell) {
    farewell_ = std::move(*farewell);
  } else if (farewell.error().message != said_) {
    said_ = farewell.error().message;
    Log(LogLevel::kWarning, said_);
  }
}

bool JobKeeper::AwaitStop(Duration at_most) {
  std::unique_lock lock(mutex_);
  const auto told = [this] { return stops_ > 0 || (suspended_ && !resting_); };
  // The clock of condition variables ends before the longest duration does.
  constexpr Duration kLongestWait = std::chrono::hours(24);
  do {
    if (changed_.wait_for(lock, std::min(at_most, kLongestWait), told)) break;
  } while (at_most > kLongestWait);
  return stops_ > 0;
}

}  // namespace evenkeel::coordinator
