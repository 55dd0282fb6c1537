#include "operator/runtime/poll_schedule.h"

#include <algorithm>

namespace evenkeel::operating {

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

}  // namespace evenkeel::operating
