#include "operator/progress_poller.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"

namespace evenkeel::controller {

void PollSchedule::SetDue(Jobs::iterator job, Instant due) {
  waiting_.erase({job->second.due, job->first});
  job->second.due = due;
  waiting_.insert({due, job->first});
}

void PollSchedule::Add(const kube::ObjectKey& job, Instant now) {
  const auto [entry, is_new] = jobs_.try_emplace(job);
  if (!is_new) return;
  entry->second.added = now;
  SetDue(entry, now);
}

void PollSchedule::Remove(const kube::ObjectKey& job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  waiting_.erase({found->second.due, job});
  jobs_.erase(found);
}

void PollSchedule::Hurry(const kube::ObjectKey& job, Instant now) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  if (found->second.in_flight) {
    found->second.hurry = true;
    return;
  }
  const Instant soon = std::max(now, found->second.asked + times_.shortest);
  if (soon < found->second.due) SetDue(found, soon);
}

std::optional<kube::ObjectKey> PollSchedule::Take(Instant now) {
  if (NextDue() > now) return std::nullopt;
  const kube::ObjectKey key = waiting_.begin()->second;
  waiting_.erase(waiting_.begin());
  Job& job = jobs_.at(key);
  job.in_flight = true;
  job.asked = now;
  return key;
}

void PollSchedule::Done(const kube::ObjectKey& key, std::optional<Duration> eta, Instant now) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end() || !found->second.in_flight) return;
  Job& job = found->second;
  job.in_flight = false;
  const Duration pause = job.hurry ? times_.shortest : Pause(now - job.added, eta);
  job.hurry = false;
  SetDue(found, now + pause);
}

Instant PollSchedule::NextDue() const {
  return waiting_.empty() ? kNever : waiting_.begin()->first;
}

Duration PollSchedule::Pause(Duration age, std::optional<Duration> eta) const {
  const Duration wanted = std::clamp(std::min(eta.value_or(times_.longest) / 2, age / 4),
                                     times_.shortest, times_.longest);
  const double jobs = static_cast<double>(jobs_.size());
  return std::max(wanted, FromSeconds(jobs / times_.polls_per_second));
}

ProgressPoller::ProgressPoller(CoordinatorLink& link, const Clock& clock, const PollTimes& times,
                               OnAnswer on_answer)
    : link_(link), clock_(clock), on_answer_(std::move(on_answer)), schedule_(times) {}

ProgressPoller::~ProgressPoller() { Stop(); }

void ProgressPoller::Start(int threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

void ProgressPoller::Stop() {
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

void ProgressPoller::Follow(const kube::ObjectKey& job, const CoordinatorAddress& coordinator) {
  const std::scoped_lock lock(mutex_);
  CoordinatorAddress& known = addresses_[job];
  const bool same = known == coordinator;
  known = coordinator;
  schedule_.Add(job, clock_.Now());
  if (!same) schedule_.Hurry(job, clock_.Now());
  changed_.notify_one();
}

void ProgressPoller::Pause(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  schedule_.Remove(job);
  addresses_.erase(job);
}

void ProgressPoller::Forget(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  schedule_.Remove(job);
  addresses_.erase(job);
  answers_.erase(job);
}

void ProgressPoller::Hurry(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  schedule_.Hurry(job, clock_.Now());
  changed_.notify_one();
}

std::optional<PolledProgress> ProgressPoller::Last(const kube::ObjectKey& job) const {
  const std::scoped_lock lock(mutex_);
  const auto found = answers_.find(job);
  return found == answers_.end() ? std::nullopt : std::optional(found->second);
}

void ProgressPoller::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const auto job = schedule_.Take(clock_.Now())) {
      AskOne(*job, lock);
      continue;
    }
    const Instant due = schedule_.NextDue();
    const auto something = [&] { return schedule_.NextDue() < due; };
    if (due == kNever) {
      changed_.wait(lock, stop, something);
    } else {
      changed_.wait_for(lock, stop, due - clock_.Now(), something);
    }
  }
}

void ProgressPoller::AskOne(const kube::ObjectKey& job, std::unique_lock<std::mutex>& lock) {
  const CoordinatorAddress address = addresses_.at(job);
  lock.unlock();
  auto answer = link_.AskProgress(address);
  lock.lock();
  const std::optional<Duration> eta = answer ? answer->eta : std::nullopt;
  schedule_.Done(job, eta, clock_.Now());
  if (!answer) {
    Log(LogLevel::kDebug, ToString(job) + ": no progress: " + answer.error().message);
    return;
  }
  if (addresses_.count(job) == 0) return;  // not wanted any more
  answers_.insert_or_assign(job, PolledProgress{address.pod_uid, std::move(*answer), clock_.Now()});
  lock.unlock();
  on_answer_(job);
  lock.lock();
}

}  // namespace evenkeel::controller
