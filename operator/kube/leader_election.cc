#include "operator/kube/leader_election.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "operator/kube/client.h"

namespace evenkeel::kube {
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
        return client.Create(Leases(), key_.space, WriteLease({}, key_, request.record));
      case ElectionRequestKind::kUpdate:
        return client.Replace(Leases(), key_.space, key_.name,
                              WriteLease(lease_, key_, request.record));
      case ElectionRequestKind::kRead:
        break;
    }
    return client.Get(Leases(), key_.space, key_.name);
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
  const auto released =
      ClientFor(access_, kReleaseTimeout).Replace(Leases(), key_.space, key_.name, farewell);
  // Nothing is lost but time: the next leader waits until the lease has run out.
  if (!released)
    Log(LogLevel::kWarning, "the lease is not given back: " + released.error().message);
}

}  // namespace evenkeel::kube
