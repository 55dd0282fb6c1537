#include "kubernetes/leader_election.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "kubernetes/client.h"

namespace evenkeel::kube {
namespace {

std::int32_t NumberAt(const Json& object, const char* field) {
  const Json& member = MemberOf(object, field);
  if (!member.is_number_integer()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(member.get<std::int64_t>(), 0, kMost));
}

}  // namespace

Result<LeaseRecord> ReadLease(const Json& lease) {
  if (!lease.is_object()) return InvalidInput("a Lease that is not a JSON object");
  const Json& spec = MemberOf(lease, "spec");
  LeaseRecord record;
  record.holder = TextAt(spec, "holderIdentity");
  record.duration_seconds = NumberAt(spec, "leaseDurationSeconds");
  record.acquire_time = TextAt(spec, "acquireTime");
  record.renew_time = TextAt(spec, "renewTime");
  record.transitions = NumberAt(spec, "leaseTransitions");
  return record;
}

Json WriteLease(const Json& base, const ObjectKey& key, const LeaseRecord& record) {
  Json lease = base.is_object() ? base : Json::object();
  lease["apiVersion"] = "coordination.k8s.io/v1";
  lease["kind"] = "Lease";
  lease["metadata"]["namespace"] = key.namespace_name;
  lease["metadata"]["name"] = key.name;
  if (!MemberOf(lease, "spec").is_object()) lease["spec"] = Json::object();
  Json& spec = lease["spec"];
  spec["holderIdentity"] = record.holder;
  spec["leaseDurationSeconds"] = record.duration_seconds;
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
  spec["leaseTransitions"] = record.transitions;
  return lease;
}

namespace {

/// Spreads the requests of waiting candidates; the factor is that of client-go.
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

namespace {

constexpr Duration kReleaseTimeout = std::chrono::seconds(5);

const Resource& Leases() {
  static const Resource leases{"coordination.k8s.io", "v1", "leases", true};
  return leases;
}

/// One attempt: whether and when there is another is the machine's to say.
Client ClientFor(const ServerAccess& access, Duration timeout) {
  ClientOptions options;
  options.retry.max_attempts = 1;
  options.tokens = access.tokens;
  options.timeout = timeout;
  return Client(access.transport, std::move(options));
}

ElectionAnswer::Kind KindOf(const ApiError& error) {
  switch (error.kind) {
    case ApiErrorKind::kNotFound:
      return ElectionAnswer::Kind::kNotFound;
    case ApiErrorKind::kAlreadyExists:
    case ApiErrorKind::kConflict:
      return ElectionAnswer::Kind::kConflict;
    default:
      return ElectionAnswer::Kind::kFailed;
  }
}

}  // namespace

LeaderElection::LeaderElection(const ServerAccess& access, const WallClock& wall, ObjectKey lease,
                               const ElectionOptions& options, ElectionCallbacks callbacks,
                               std::uint64_t seed)
    : access_(access),
      wall_(wall),
      key_(std::move(lease)),
      options_(options),
      callbacks_(std::move(callbacks)),
      machine_(options, seed) {}

LeaderElection::~LeaderElection() { Stop(); }

void LeaderElection::Start() {
  EVENKEEL_CHECK(!thread_.joinable(), "an election that is started twice");
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void LeaderElection::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

bool LeaderElection::HoldsLease() const {
  return access_.clock.Now().time_since_epoch().count() < leads_until_.load();
}

void LeaderElection::Run(const std::stop_token& stop) {
  for (;;) {
    if (machine_.HasLost(access_.clock.Now())) break;
    const ElectionRequest request = machine_.Next(Wall());
    const Instant deadline = machine_.Leads() ? machine_.LeadsUntil() : kNever;
    if (!WaitUntil(std::min(request.not_before, deadline), stop)) return Release();
    if (request.not_before < deadline) Perform(machine_.Next(Wall()));
  }
  leads_until_ = 0;
  Log(LogLevel::kError, "the lease " + ToString(key_) + " is lost; it is held by \"" +
                            machine_.Holder() + "\" as far as is known");
  if (callbacks_.on_lost) callbacks_.on_lost();
}

bool LeaderElection::WaitUntil(Instant when, const std::stop_token& stop) {
  const Duration pause = when - access_.clock.Now();
  if (pause > Duration::zero()) access_.waiter.WaitFor(pause, stop);
  return !stop.stop_requested();
}

void LeaderElection::Perform(const ElectionRequest& request) {
  const bool led = machine_.Leads();
  machine_.Started(access_.clock.Now());
  const ElectionAnswer answer = Ask(request);
  machine_.Answered(request, answer, access_.clock.Now());
  if (machine_.Leads()) leads_until_ = machine_.LeadsUntil().time_since_epoch().count();
  TellHolder();
  if (!led && machine_.Leads() && callbacks_.on_leading) callbacks_.on_leading();
}

ElectionAnswer LeaderElection::Ask(const ElectionRequest& request) {
  const Client client = ClientFor(access_, request.timeout);
  ApiResult<Json> answer = [&] {
    switch (request.kind) {
      case ElectionRequestKind::kCreate:
        return client.Create(Leases(), key_.namespace_name, WriteLease({}, key_, request.record));
      case ElectionRequestKind::kUpdate:
        return client.Replace(Leases(), key_.namespace_name, key_.name,
                              WriteLease(lease_, key_, request.record));
      case ElectionRequestKind::kRead:
        break;
    }
    return client.Get(Leases(), key_.namespace_name, key_.name);
  }();
  if (!answer) {
    const ElectionAnswer::Kind kind = KindOf(answer.error());
    const bool is_trouble = kind == ElectionAnswer::Kind::kFailed;
    const std::string failure = is_trouble ? answer.error().message : std::string();
    if (failure != std::exchange(last_failure_, failure) && is_trouble) {
      Log(LogLevel::kWarning, "lease " + ToString(key_) + ": " + failure);
    }
    return {kind, {}};
  }
  const Result<LeaseRecord> record = ReadLease(*answer);
  if (!record) return {};
  lease_ = std::move(*answer);
  last_failure_.clear();
  return {ElectionAnswer::Kind::kRecord, *record};
}

void LeaderElection::TellHolder() {
  const std::string& holder = machine_.Holder();
  if (holder.empty() || holder == std::exchange(told_holder_, holder)) return;
  if (callbacks_.on_new_holder) callbacks_.on_new_holder(holder);
}

void LeaderElection::Release() {
  if (!machine_.Leads() || machine_.HasLost(access_.clock.Now())) return;
  leads_until_ = 0;
  const Json farewell = WriteLease(lease_, key_, machine_.Farewell(Wall()));
  const auto released = ClientFor(access_, kReleaseTimeout)
                            .Replace(Leases(), key_.namespace_name, key_.name, farewell);
  // Nothing is lost but time: the next leader waits until the lease has run out.
  if (!released)
    Log(LogLevel::kWarning, "the lease is not given back: " + released.error().message);
}

}  // namespace evenkeel::kube
