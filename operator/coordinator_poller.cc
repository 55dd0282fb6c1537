#include "operator/coordinator_poller.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/job_status_json.h"
#include "core/base/digest.h"
#include "core/base/log.h"

namespace evenkeel::controller {
namespace {

constexpr int kOk = 200;
constexpr int kAccepted = 202;
constexpr int kUnauthorized = 401;
constexpr int kTooLarge = 413;

/// The start of a coordinator's reply, for logs and conditions.
std::string Quoted(const std::string& body) {
  constexpr std::size_t kMaxBytes = 300;
  std::string text = body.substr(0, kMaxBytes);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

std::string Describe(const ControlReply& reply) {
  return "it answered " + std::to_string(reply.status) +
         (reply.body.empty() ? "" : ": " + Quoted(reply.body));
}

/// The body of PUT /container-ends.
std::string ReportOf(const std::map<std::string, std::vector<plan::ContainerEnd>>& ends) {
  nlohmann::json report = nlohmann::json::object();
  for (const auto& [node, list] : ends) {
    for (const plan::ContainerEnd& end : list) {
      report[node].push_back({{"endedAt", end.at_seconds}, {"outOfMemory", end.out_of_memory}});
    }
  }
  return report.dump();
}

}  // namespace

void PollSchedule::SetDue(Jobs::iterator job, Instant due) {
  Namespace& group = namespaces_[job->first.namespace_name];
  group.waiting.erase({job->second.due, job->first.name});
  job->second.due = due;
  group.waiting.insert({due, job->first.name});
}

void PollSchedule::SetUrgent(Job& job, bool urgent) {
  if (job.urgent == urgent) return;
  job.urgent = urgent;
  urgent ? ++urgent_ : --urgent_;
}

void PollSchedule::Add(const kube::ObjectKey& job, Instant now) {
  const auto [entry, is_new] = jobs_.try_emplace(job);
  if (!is_new) return;
  ++namespaces_[job.namespace_name].jobs;
  entry->second.added = now;
  SetDue(entry, now);
}

void PollSchedule::Remove(const kube::ObjectKey& job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  const auto group = namespaces_.find(job.namespace_name);
  group->second.waiting.erase({found->second.due, job.name});
  if (found->second.in_flight) {
    --group->second.calls;
    --calls_;
  }
  SetUrgent(found->second, false);
  jobs_.erase(found);
  if (--group->second.jobs == 0) namespaces_.erase(group);
}

void PollSchedule::Hurry(const kube::ObjectKey& job, Instant now) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  if (found->second.in_flight) {
    found->second.hurry = true;
    return;
  }
  const Instant soon = std::max(now, found->second.polled + limits_.shortest);
  if (soon < found->second.due) SetDue(found, soon);
}

const std::pair<const std::string, PollSchedule::Namespace>* PollSchedule::Next() const {
  const std::pair<const std::string, Namespace>* next = nullptr;
  if (calls_ >= limits_.max_calls) return next;
  for (const auto& group : namespaces_) {
    const Namespace& state = group.second;
    if (state.waiting.empty() || state.calls >= limits_.max_calls_per_namespace) continue;
    if (next == nullptr || state.waiting.begin()->first < next->second.waiting.begin()->first) {
      next = &group;
    }
  }
  return next;
}

std::optional<kube::ObjectKey> PollSchedule::Take(Instant now) {
  const auto* next = Next();
  if (next == nullptr || next->second.waiting.begin()->first > now) return std::nullopt;
  const kube::ObjectKey key{next->first, next->second.waiting.begin()->second};
  Namespace& group = namespaces_.at(key.namespace_name);
  group.waiting.erase(group.waiting.begin());
  ++group.calls;
  ++calls_;
  Job& job = jobs_.at(key);
  job.in_flight = true;
  job.polled = now;
  return key;
}

void PollSchedule::Done(const kube::ObjectKey& key, const PollResult& result, Instant now) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end() || !found->second.in_flight) return;
  Job& job = found->second;
  job.in_flight = false;
  --namespaces_.at(key.namespace_name).calls;
  --calls_;
  constexpr std::int32_t kMaxFailures = 30;
  job.failures = result.answered ? 0 : std::min(job.failures + 1, kMaxFailures);
  SetUrgent(job, result.answered && result.urgent);
  const Duration pause =
      std::exchange(job.hurry, false) ? limits_.shortest : Pause(key, job, result, now);
  SetDue(found, now + pause);
}

Instant PollSchedule::NextDue() const {
  const auto* next = Next();
  return next == nullptr ? kNever : next->second.waiting.begin()->first;
}

Duration PollSchedule::Pause(const kube::ObjectKey& key, const Job& job, const PollResult& result,
                             Instant now) const {
  if (job.urgent) {
    return std::max(limits_.shortest,
                    FromSeconds(static_cast<double>(urgent_) / limits_.urgent_polls_per_second));
  }
  const std::size_t share = namespaces_.at(key.namespace_name).jobs * namespaces_.size();
  const Duration fair = FromSeconds(static_cast<double>(share) / limits_.polls_per_second);
  if (!result.answered) {
    // Halving the limit instead of doubling the pause cannot overflow.
    const Duration doubled = limits_.shortest > limits_.longest_after_failures / (1 << job.failures)
                                 ? limits_.longest_after_failures
                                 : limits_.shortest * (1 << job.failures);
    return std::max(doubled, fair);
  }
  const Duration age = now - job.added;
  const Duration wanted = std::clamp(std::min(result.eta.value_or(limits_.longest) / 2, age / 4),
                                     limits_.shortest, limits_.longest);
  return std::max(wanted, fair);
}

CoordinatorPoller::CoordinatorPoller(CoordinatorLink& link, const Clock& clock,
                                     const PollLimits& limits, OnAnswer on_answer)
    : link_(link), clock_(clock), on_answer_(std::move(on_answer)), schedule_(limits) {}

CoordinatorPoller::~CoordinatorPoller() { Stop(); }

void CoordinatorPoller::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void CoordinatorPoller::Stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  link_.Stop();
}

void CoordinatorPoller::Follow(const kube::ObjectKey& job, const CoordinatorAddress& coordinator,
                               const plan::DesiredCoordinator& desired) {
  const std::scoped_lock lock(mutex_);
  Target& known = targets_[job];
  const bool same = known.address == coordinator && known.desired == desired;
  known = {coordinator, desired};
  schedule_.Add(job, clock_.Now());
  if (!same) schedule_.Hurry(job, clock_.Now());
  changed_.notify_one();
}

void CoordinatorPoller::Pause(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  schedule_.Remove(job);
  targets_.erase(job);
  changed_.notify_one();
}

void CoordinatorPoller::Forget(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  schedule_.Remove(job);
  targets_.erase(job);
  observations_.erase(job);
  changed_.notify_one();
}

void CoordinatorPoller::Hurry(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  schedule_.Hurry(job, clock_.Now());
  changed_.notify_one();
}

std::optional<CoordinatorObservation> CoordinatorPoller::Last(const kube::ObjectKey& job) const {
  const std::scoped_lock lock(mutex_);
  const auto found = observations_.find(job);
  return found == observations_.end() ? std::nullopt : std::optional(found->second);
}

void CoordinatorPoller::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const auto job = schedule_.Take(clock_.Now())) {
      const PollPtr poll = MakePoll(*job);
      lock.unlock();
      ReadProgress(poll);
      lock.lock();
      continue;
    }
    const Instant due = schedule_.NextDue();
    const auto is_earlier = [&] { return schedule_.NextDue() < due; };
    if (due == kNever) {
      changed_.wait(lock, stop, is_earlier);
    } else {
      changed_.wait_for(lock, stop, due - clock_.Now(), is_earlier);
    }
  }
}

CoordinatorPoller::PollPtr CoordinatorPoller::MakePoll(const kube::ObjectKey& job) const {
  auto poll = std::make_shared<Poll>();
  const Target& target = targets_.at(job);
  poll->job = job;
  poll->address = target.address;
  poll->desired = target.desired;
  poll->observation.pod_uid = target.address.pod_uid;
  const auto known = observations_.find(job);
  if (known != observations_.end() && known->second.pod_uid == target.address.pod_uid) {
    poll->observation.snapshot = known->second.snapshot;
    poll->observation.snapshot_refusal = known->second.snapshot_refusal;
  }
  return poll;
}

ControlCall CoordinatorPoller::CallOf(const Poll& poll, std::string method,
                                      std::string path) const {
  const auto& tokens = poll.address.tokens;
  return {std::move(method), std::move(path),
          poll.token < tokens.size() ? tokens[poll.token] : std::string()};
}

void CoordinatorPoller::ReadProgress(const PollPtr& poll) {
  link_.Send(poll->address, CallOf(*poll, "GET", "/progress"),
             [this, poll](Result<ControlReply> reply) { OnProgress(poll, std::move(reply)); });
}

void CoordinatorPoller::OnProgress(const PollPtr& poll, Result<ControlReply> reply) {
  if (!reply) return Fail(*poll, reply.error().message);
  // While the operator's key is replaced, a coordinator may know only one of the tokens.
  if (reply->status == kUnauthorized && poll->token + 1 < poll->address.tokens.size()) {
    ++poll->token;
    return ReadProgress(poll);
  }
  if (reply->status != kOk) return Fail(*poll, Describe(*reply));
  Result<cluster::Progress> progress = cluster::ReadProgress(reply->body);
  if (!progress) return Fail(*poll, progress.error().message);
  poll->observation.progress = std::move(*progress);
  poll->observation.at = clock_.Now();
  const plan::DesiredCoordinator& desired = poll->desired;
  const cluster::Progress& observed = poll->observation.progress;
  if (desired.pod_uid != poll->address.pod_uid) return Finish(*poll, true, false);
  if (observed.desired_suspended && *observed.desired_suspended != desired.suspended) {
    return ChangeState(poll);
  }
  if (observed.container_ends_digest) {
    std::string report = ReportOf(desired.container_ends);
    if (*observed.container_ends_digest != DigestOf(report)) {
      return ReportContainerEnds(poll, std::move(report));
    }
  }
  const bool has_drained = observed.state == cluster::CoordinatorState::kInterrupted;
  const bool is_answered = poll->observation.snapshot || poll->observation.snapshot_refusal;
  if (desired.wants_snapshot && has_drained && !is_answered) return FetchSnapshot(poll);
  Finish(*poll, true, desired.suspended && observed.state == cluster::CoordinatorState::kRunning);
}

void CoordinatorPoller::ChangeState(const PollPtr& poll) {
  const std::string state = poll->desired.suspended ? "Suspended" : "Running";
  // An earlier snapshot, or its refusal, is outdated once the coordinator continues.
  poll->observation.snapshot.reset();
  poll->observation.snapshot_refusal.reset();
  Put(poll, CallOf(*poll, "PUT", "/desired-state/" + state), /*urgent=*/true);
}

void CoordinatorPoller::ReportContainerEnds(const PollPtr& poll, std::string report) {
  ControlCall call = CallOf(*poll, "PUT", "/container-ends");
  call.body = std::move(report);
  Put(poll, call, /*urgent=*/false);
}

void CoordinatorPoller::Put(const PollPtr& poll, const ControlCall& call, bool urgent) {
  link_.Send(poll->address, call, [this, poll, urgent](Result<ControlReply> reply) {
    if (reply && reply->status != kAccepted && reply->status != kOk) {
      reply = evenkeel::Fail(ErrorCode::kUnavailable, Describe(*reply));
    }
    if (!reply) Log(LogLevel::kDebug, ToString(poll->job) + ": " + reply.error().message);
    Finish(*poll, true, urgent);
  });
}

void CoordinatorPoller::FetchSnapshot(const PollPtr& poll) {
  link_.Send(poll->address, CallOf(*poll, "GET", "/snapshot"),
             [this, poll](Result<ControlReply> reply) { OnSnapshot(poll, std::move(reply)); });
}

void CoordinatorPoller::OnSnapshot(const PollPtr& poll, Result<ControlReply> reply) {
  if (reply && reply->status == kOk) {
    poll->observation.snapshot = std::make_shared<const std::string>(std::move(reply->body));
  } else if (reply && reply->status == kTooLarge) {
    poll->observation.snapshot_refusal = Quoted(reply->body);
  }
  Finish(*poll, true, true);
}

void CoordinatorPoller::Fail(const Poll& poll, const std::string& why) {
  Log(LogLevel::kDebug, ToString(poll.job) + ": no progress: " + why);
  Finish(poll, false, false);
}

void CoordinatorPoller::Finish(const Poll& poll, bool answered, bool urgent) {
  {
    const std::scoped_lock lock(mutex_);
    const auto target = targets_.find(poll.job);
    // The job is gone, or has another coordinator by now: the answer is not its.
    const bool is_current =
        target != targets_.end() && target->second.address.pod_uid == poll.address.pod_uid;
    schedule_.Done(poll.job, {answered, poll.observation.progress.eta, urgent}, clock_.Now());
    changed_.notify_one();
    if (!answered || !is_current) return;
    observations_.insert_or_assign(poll.job, poll.observation);
  }
  on_answer_(poll.job);
}

}  // namespace evenkeel::controller
