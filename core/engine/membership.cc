#include "core/engine/membership.h"

#include <algorithm>
#include <utility>

namespace evenkeel::engine {

using scheduling::WorkerId;

namespace {

// Number of threads that a worker may claim: a plan for billions of them would be nonsense.
constexpr std::uint32_t kMaxThreads = 4096;
// No process dies of a task, starts anew and connects again in less.
constexpr Duration kShortestRestart = std::chrono::milliseconds(50);
// Replaced incarnations that are remembered for each node.
constexpr std::size_t kMaxReplaced = 8;
// Nodes that a job can ever have: each name that was admitted keeps its entry.
constexpr std::size_t kMaxNodesEver = 20'000;

}  // namespace

WorkerId Membership::Add(const std::string& name, double ratio, Instant now) {
  const WorkerId worker{static_cast<std::uint32_t>(members_.size())};
  Member member;
  member.name = name;
  member.ratio = ratio;
  members_.push_back(std::move(member));
  ++present_;
  by_name_[name] = worker;
  RenewLease(worker, now);
  return worker;
}

std::string Membership::RefusalReason(const Hello& hello) const {
  if (hello.protocol_version != kProtocolVersion) {
    return "protocol version " + std::to_string(hello.protocol_version) +
           " is not supported; this coordinator speaks version " + std::to_string(kProtocolVersion);
  }
  if (!rules_.token.empty() && hello.token != rules_.token) return "the token is wrong";
  if (hello.workload != rules_.workload || hello.workload_version != rules_.workload_version) {
    return "this job runs " + rules_.workload + " version " +
           std::to_string(rules_.workload_version) + ", not " + hello.workload + " version " +
           std::to_string(hello.workload_version);
  }
  if (hello.node.empty() || hello.threads == 0 || hello.threads > kMaxThreads) {
    return "a worker needs a node name and 1 to " + std::to_string(kMaxThreads) + " threads";
  }
  if (!(hello.ratio >= 0 && hello.ratio <= kMaxRatio)) {  // also refuses NaN
    return "a worker's ratio must be above 0 and at most 1000000";
  }
  if (const auto excluded = excluded_.find(hello.node); excluded != excluded_.end()) {
    return "node " + hello.node + " is left out of this job: " + excluded->second;
  }
  const bool known = by_name_.contains(hello.node);
  if (!known && !rules_.admit_unexpected) return "node " + hello.node + " is not part of this job";
  if (!known && IsFull()) {
    return "the job has all of its " + std::to_string(rules_.max_workers) + " workers";
  }
  return {};
}

// A node that was lost leaves its place to another one.
bool Membership::IsFull() const {
  return Present() >= static_cast<std::size_t>(std::max(rules_.max_workers, 0)) ||
         members_.size() >= kMaxNodesEver;
}

std::optional<WorkerId> Membership::Find(const std::string& name) const {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return std::nullopt;
  return known->second;
}

bool Membership::WasReplaced(WorkerId worker, const std::string& incarnation) const {
  const Member& member = At(worker);
  return member.stream && std::find(member.replaced.begin(), member.replaced.end(), incarnation) !=
                              member.replaced.end();
}

bool Membership::MustWaitForOther(WorkerId worker, const Hello& hello) const {
  const Member& member = At(worker);
  if (!member.stream) return false;
  if (member.peer != hello.peer) return true;
  return !rules_.idempotent && member.incarnation != hello.incarnation &&
         member.boot_id == hello.boot_id;
}

bool Membership::CanHaveRunTasks(WorkerId worker, Instant now) const {
  const RoundTripEstimator& round_trip = At(worker).round_trip;
  return round_trip.Estimate() || now - round_trip.Opened() >= kShortestRestart;
}

std::optional<StreamId> Membership::Connect(WorkerId worker, StreamId stream, Instant now,
                                            const std::string& peer) {
  Member& member = At(worker);
  member.peer = peer;
  const auto before = std::exchange(member.stream, stream);
  if (before) streams_.Erase(*before);
  streams_.Put(stream, worker);
  member.reports_received = 0;
  member.round_trip = RoundTripEstimator(now);
  disconnected_since_.Remove(worker);
  RenewLease(worker, now);
  return before;
}

void Membership::SetProcess(WorkerId worker, const std::string& incarnation,
                            const std::string& boot_id) {
  Member& member = At(worker);
  member.boot_id = boot_id;
  if (member.incarnation == incarnation) return;
  member.draining = false;
  std::erase(member.replaced, incarnation);
  if (!member.incarnation.empty()) member.replaced.push_back(member.incarnation);
  if (member.replaced.size() > kMaxReplaced) member.replaced.erase(member.replaced.begin());
  member.incarnation = incarnation;
}

void Membership::Rejoin(WorkerId worker) {
  Member& member = At(worker);
  if (std::exchange(member.lost, false)) ++present_;
  member.absent = false;
}

std::optional<WorkerId> Membership::Disconnect(StreamId stream, Instant now) {
  const WorkerId* const known = streams_.Find(stream);
  if (!known) return std::nullopt;
  const WorkerId worker = *known;
  streams_.Erase(stream);
  At(worker).stream.reset();
  // The worker may be back in a moment and has not stopped working. If its tasks may run twice,
  // others need not wait until its lease expires.
  if (rules_.idempotent) disconnected_since_.Renew(worker, now);
  return worker;
}

std::optional<StreamId> Membership::Remove(WorkerId worker) {
  Member& member = At(worker);
  if (!std::exchange(member.lost, true)) --present_;
  last_heard_.Remove(worker);
  const auto stream = std::exchange(member.stream, std::nullopt);
  if (stream) streams_.Erase(*stream);
  return stream;
}

void Membership::MarkAbsent(WorkerId worker) {
  disconnected_since_.Remove(worker);
  At(worker).absent = true;
}

std::vector<WorkerId> Membership::TakeExpired(Instant now) {
  std::vector<WorkerId> expired;
  if (now < held_until_) return expired;
  while (last_heard_.Oldest() && *last_heard_.Oldest() + rules_.lease <= now) {
    for (const WorkerId worker : last_heard_.AllOldest()) {
      last_heard_.Remove(worker);
      expired.push_back(worker);
    }
  }
  return expired;
}

std::vector<WorkerId> Membership::OverdueToReconnect(Instant now) const {
  const auto oldest = disconnected_since_.Oldest();
  if (!oldest || *oldest + ReconnectTimeout() > now) return {};
  return disconnected_since_.AllOldest();
}

Instant Membership::NextExpiry() const {
  Instant next = kNever;
  if (const auto heard = last_heard_.Oldest()) next = std::max(*heard + rules_.lease, held_until_);
  if (const auto since = disconnected_since_.Oldest()) {
    next = std::min(next, *since + ReconnectTimeout());
  }
  return next;
}

void Membership::ExtendLeases(Duration stalled, Instant now) {
  last_heard_.Shift(stalled, now);
  disconnected_since_.Shift(stalled, now);
}

Duration Membership::ReconnectTimeout() const { return model::ReconnectTimeout(rules_.lease); }

double Membership::MeanRatio() const {
  if (members_.empty()) return 1.0;
  double sum = 0;
  for (const Member& member : members_) sum += member.ratio;
  return sum / static_cast<double>(members_.size());
}

}  // namespace evenkeel::engine
