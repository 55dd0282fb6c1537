// WorkerShell: the thread in Run. It keeps the connection, the timers and the deadlines.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/log.h"
#include "worker/worker_shell.h"

namespace evenkeel::worker {
namespace {

// Condition variables take no time beyond the end of the calendar.
constexpr Duration kLongestSleep = std::chrono::hours(1);
// After the grace of a drain: for the last results to be acknowledged.
constexpr Duration kLastWords = std::chrono::seconds(2);
// For an attempt to connect; later ones may take as long as the coordinator has been away.
constexpr Duration kShortestAttempt = std::chrono::seconds(3);
// A worker may well start before its coordinator; after that, its log is not to be flooded.
constexpr Duration kQuietAttempts = std::chrono::seconds(3);
constexpr Duration kComplaintInterval = std::chrono::minutes(1);

std::string Shown(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", ToSeconds(time));
  return text;
}

}  // namespace

WorkerEnd WorkerShell::Run() {
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < options_.threads; ++i) {
    threads.emplace_back([this, i] { Compute(i); });
  }
  Lock lock(mutex_);
  lost_at_ = connect_at_ = clock_.Now();
  for (;;) {
    KeepConnected(lock);
    GiveUpIfDue();
    StopDraining();
    if (!end_) Carry(engine_.OnTimer(clock_.Now()));
    if (end_) break;
    SleepUntil(lock, NextDue());
  }
  Leave(lock);
  for (std::thread& thread : threads) thread.join();
  return *end_;
}

void WorkerShell::KeepConnected(Lock& lock) {
  if (link_ && link_->closed && !end_) DropLink(lock);
  if (!link_ && !end_ && clock_.Now() >= connect_at_) Connect();
}

void WorkerShell::Connect() {
  ConnectionOptions connection = options_.connection;
  // The first packets to an address that is not served yet may be lost without a word.
  const Duration away = lost_at_ ? clock_.Now() - *lost_at_ : Duration{};
  connection.connect_timeout =
      std::min(std::max(away, kShortestAttempt), options_.connection.connect_timeout);
  link_ = std::make_unique<Link>(*this);
  link_->connection = CoordinatorConnection::Connect(connection, *link_);
  link_->connection->Send(engine_.OnConnected(clock_.Now()));
}

void WorkerShell::DropLink(Lock& lock) {
  const std::unique_ptr<Link> gone = std::move(link_);
  const Instant now = clock_.Now();
  if (gone->heard) {
    lost_at_ = now;
    Log(LogLevel::kWarning, "lost the coordinator: " + *gone->closed);
  } else {
    ComplainOfAttempt(*gone->closed);
  }
  connect_at_ = now + backoff_.Next();
  engine_.OnDisconnected(now);
  if (drain_until_) Carry(engine_.OnDrain(now));  // nobody is left to wait for
  lock.unlock();
  gone->connection.reset();
  lock.lock();
}

// A coordinator that is about to start is no news; one that cannot be talked to is, now and then.
void WorkerShell::ComplainOfAttempt(const std::string& reason) {
  const Instant now = clock_.Now();
  if (now < complain_at_) return;
  if (complain_at_ != Instant{}) {
    Log(LogLevel::kWarning, "no coordinator at " + options_.connection.address + ": " + reason);
  }
  complain_at_ = now + (complain_at_ == Instant{} ? kQuietAttempts : kComplaintInterval);
}

void WorkerShell::GiveUpIfDue() {
  if (end_ || !options_.give_up_after || !lost_at_) return;
  if (clock_.Now() < *lost_at_ + *options_.give_up_after) return;
  End(WorkerExit::kNoCoordinator, "no coordinator at " + options_.connection.address + " for " +
                                      Shown(*options_.give_up_after));
}

void WorkerShell::StopDraining() {
  if (end_ || !drain_until_ || clock_.Now() < *drain_until_) return;
  if (drain_over_) {
    End(WorkerExit::kDone, "told to stop; the last results were not acknowledged");
    return;
  }
  drain_over_ = true;
  drain_until_ = clock_.Now() + kLastWords;
  StopAllBatches();
}

void WorkerShell::StopAllBatches() {
  for (std::stop_source& stop : stops_) stop.request_stop();
}

Instant WorkerShell::NextDue() const {
  Instant due = engine_.NextTimer();
  if (!link_) due = std::min(due, connect_at_);
  if (lost_at_ && options_.give_up_after) due = std::min(due, *lost_at_ + *options_.give_up_after);
  if (drain_until_) due = std::min(due, *drain_until_);
  return due;
}

void WorkerShell::SleepUntil(Lock& lock, Instant due) {
  const Instant now = clock_.Now();
  if (due <= now) return;
  sleeps_until_ = due;
  changed_.wait_for(lock, due == kNever ? kLongestSleep : std::min(due - now, kLongestSleep));
  sleeps_until_ = Instant{};
}

void WorkerShell::Leave(Lock& lock) {
  leaving_ = true;
  StopAllBatches();
  work_.notify_all();
  const std::unique_ptr<Link> link = std::move(link_);
  lock.unlock();
  // The last messages are on their way; there are none if the coordinator was not to be found.
  if (link && end_->exit != WorkerExit::kNoCoordinator) link->connection->Close();
}

}  // namespace evenkeel::worker
