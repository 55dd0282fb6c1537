#include "operator/kube/election_machine.h"

#include <algorithm>

namespace evenkeel::kube {
namespace {

/// Those who wait do not all ask at the same moment (and the usual factor of other clients).
constexpr double kJitter = 1.2;
/// A renewal may take long on a slow card, but a second attempt must fit before the deadline.
constexpr int kAttemptsWithinDeadline = 2;
constexpr Duration kShortestTimeout = std::chrono::seconds(1);
/// No lease keeps a candidate waiting for longer, whatever its holder wrote into it.
constexpr Duration kLongestLease = std::chrono::hours(1);

std::int32_t WholeSeconds(Duration duration) {
  return static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(duration).count());
}

}  // namespace

Result<void> CheckElectionOptions(const ElectionOptions& options) {
  if (options.identity.empty()) return InvalidInput("leader election: the identity is empty");
  if (options.retry_period < kShortestTimeout) {
    return InvalidInput("leader election: the retry period must be at least 1 s");
  }
  if (ToSeconds(options.renew_deadline) <= kJitter * ToSeconds(options.retry_period)) {
    return InvalidInput(
        "leader election: the renew deadline must be longer than 1.2 retry periods");
  }
  if (options.lease_duration < options.renew_deadline + kShortestTimeout) {
    return InvalidInput("leader election: the lease must outlast the renew deadline by 1 s");
  }
  if (options.lease_duration > kLongestLease) {
    return InvalidInput("leader election: the lease must last at most an hour");
  }
  return {};
}

ElectionMachine::ElectionMachine(const ElectionOptions& options, std::uint64_t seed)
    : options_(options), rng_(seed) {}

ElectionRequest ElectionMachine::Next(const std::string& wall) const {
  ElectionRequest request;
  request.kind = next_;
  request.not_before = not_before_;
  request.timeout = options_.renew_deadline / kAttemptsWithinDeadline;
  if (leads_) {
    request.timeout = std::min(request.timeout, LeadsUntil() - not_before_);
  }
  request.timeout = std::max(request.timeout, kShortestTimeout);
  if (next_ != ElectionRequestKind::kRead) request.record = OwnRecord(wall);
  return request;
}

LeaseRecord ElectionMachine::OwnRecord(const std::string& wall) const {
  LeaseRecord record;
  record.holder = options_.identity;
  record.duration_seconds = WholeSeconds(options_.lease_duration);
  record.acquire_time = wall;
  record.renew_time = wall;
  if (!has_seen_) return record;
  const bool still_ours = seen_.holder == options_.identity;
  if (still_ours) record.acquire_time = seen_.acquire_time;
  record.transitions = seen_.transitions + (still_ours ? 0 : 1);
  return record;
}

LeaseRecord ElectionMachine::Farewell(const std::string& wall) const {
  LeaseRecord record = seen_;
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquire_time = wall;
  record.renew_time = wall;
  return record;
}

void ElectionMachine::Answered(const ElectionRequest& request, const ElectionAnswer& answer,
                               Instant now) {
  // Whatever is done next, it begins with a look: who knows what became of this request.
  if (answer.kind == ElectionAnswer::Kind::kFailed) {
    return Ask(ElectionRequestKind::kRead, NextTry(now));
  }
  request.kind == ElectionRequestKind::kRead ? AfterRead(answer, now) : AfterWrite(answer, now);
}

void ElectionMachine::AfterRead(const ElectionAnswer& answer, Instant now) {
  if (answer.kind == ElectionAnswer::Kind::kNotFound) {
    has_seen_ = false;
    seen_ = {};
    return Ask(ElectionRequestKind::kCreate, now);
  }
  Observe(answer.record, now);
  if (leads_ && !seen_.holder.empty() && seen_.holder != options_.identity) {
    ousted_ = true;
    return;
  }
  MayTake(now) ? Ask(ElectionRequestKind::kUpdate, now)
               : Ask(ElectionRequestKind::kRead, NextTry(now));
}

void ElectionMachine::AfterWrite(const ElectionAnswer& answer, Instant now) {
  if (answer.kind != ElectionAnswer::Kind::kRecord) {
    // Somebody else wrote. A leader looks at once, the others have lost this round.
    const bool at_once = leads_ && !conflicted_;
    conflicted_ = true;
    return Ask(ElectionRequestKind::kRead, at_once ? now : NextTry(now));
  }
  conflicted_ = false;
  Observe(answer.record, now);
  leads_ = true;
  renewed_ = started_;
  Ask(ElectionRequestKind::kUpdate, now + options_.retry_period);
}

void ElectionMachine::Observe(const LeaseRecord& record, Instant now) {
  if (has_seen_ && record == seen_) return;
  seen_ = record;
  has_seen_ = true;
  changed_ = now;
}

bool ElectionMachine::MayTake(Instant now) const {
  if (seen_.holder.empty() || seen_.holder == options_.identity) return true;
  const Duration said = std::chrono::seconds(seen_.duration_seconds);
  return now - changed_ >= std::clamp(said, options_.lease_duration, kLongestLease);
}

void ElectionMachine::Ask(ElectionRequestKind kind, Instant when) {
  next_ = kind;
  not_before_ = when;
}

Instant ElectionMachine::NextTry(Instant now) {
  return now + FromSeconds(ToSeconds(options_.retry_period) * rng_.Uniform(1.0, kJitter));
}

}  // namespace evenkeel::kube
