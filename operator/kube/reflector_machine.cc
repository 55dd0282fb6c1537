#include "operator/kube/reflector_machine.h"

#include <algorithm>
#include <utility>

#include "operator/kube/resource.h"

namespace evenkeel::kube {
namespace {

/// Refusals of one kind in a row after which a version, or a way to list, is given up.
constexpr int kMostStreamingFailures = 2;
constexpr int kMostRefusals = 3;
/// No server's Retry-After makes a reflector deaf for longer.
constexpr Duration kLongestRetryAfter = std::chrono::minutes(2);

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kRequestTimeout = 408;
constexpr int kGone = 410;
constexpr int kTooManyRequests = 429;

bool IsClientError(int status) { return status >= 400 && status < 500; }

/// Answers that say nothing about what was asked for: the same request may work later.
bool IsPassing(int status) {
  return status == 0 || status == kUnauthorized || status == kRequestTimeout ||
         status == kTooManyRequests;
}

/// Answers to a streamed list that the same server will give again. Rights and kinds (403, 404) may
/// be installed after the operator.
bool RefusesForGood(int status) {
  return IsClientError(status) && !IsPassing(status) && status != kForbidden &&
         status != kNotFound && status != kGone;
}

}  // namespace

ReflectorMachine::ReflectorMachine(const ReflectorOptions& options, std::uint64_t seed)
    : options_(options),
      rng_(seed),
      backoff_(options.reconnect, seed + 1),
      phase_(Phase::kPagedList),
      streaming_offered_(options.streaming_lists) {
  ListAnew();
}

ReflectorRequest ReflectorMachine::Next() {
  ReflectorRequest request = phase_ == Phase::kPagedList ? PageRequest() : WatchRequest();
  request.not_before = not_before_;
  return request;
}

ReflectorRequest ReflectorMachine::PageRequest() const {
  ListOptions page;
  page.label_selector = options_.label_selector;
  page.field_selector = options_.field_selector;
  page.limit = unpaged_ ? 0 : options_.page_size;
  page.continue_token = continue_token_;
  ReflectorRequest request;
  request.kind = ReflectorRequestKind::kPage;
  request.target = ListTarget(options_.resource, options_.name_space, page);
  request.timeout = options_.list_timeout;
  request.begins_list = continue_token_.empty();
  return request;
}

ReflectorRequest ReflectorMachine::WatchRequest() {
  WatchOptions watch;
  watch.label_selector = options_.label_selector;
  watch.field_selector = options_.field_selector;
  watch.resource_version = version_;
  watch.send_initial_events = phase_ == Phase::kStreamedList;
  watch.timeout_seconds = WatchSeconds();
  ReflectorRequest request;
  request.kind = ReflectorRequestKind::kWatch;
  request.target = WatchTarget(options_.resource, options_.name_space, watch);
  request.timeout = options_.idle_limit;
  request.begins_list = watch.send_initial_events;
  return request;
}

int ReflectorMachine::WatchSeconds() {
  const Duration length{
      rng_.Between(options_.shortest_watch.count(), options_.longest_watch.count())};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(length).count();
  return static_cast<int>(std::max<std::int64_t>(1, seconds));
}

PageVerdict ReflectorMachine::PageRead(const PageSummary& page, Instant now) {
  listed_ += page.items;
  if (listed_ > options_.max_items) {
    not_before_ = backoff_.After(started_, now);
    ListAnew();
    return PageVerdict::kTooMany;
  }
  continue_token_ = page.continue_token;
  if (!continue_token_.empty()) return PageVerdict::kMore;
  WatchFrom(page.resource_version);
  return PageVerdict::kListComplete;
}

WatchVerdict ReflectorMachine::Saw(const WatchEvent& event) {
  switch (event.type) {
    case WatchEventType::kError:
      return SawError(event);
    case WatchEventType::kBookmark:
      return SawBookmark(event);
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
    case WatchEventType::kDeleted:
      break;
  }
  return SawObject(event);
}

WatchVerdict ReflectorMachine::SawObject(const WatchEvent& event) {
  refusals_ = 0;
  if (phase_ == Phase::kWatch) {
    version_ = event.meta.resource_version;
    return WatchVerdict::kApply;
  }
  // The events of a list come in no order of time: only its end says from where to go on.
  return ++listed_ > options_.max_items ? WatchVerdict::kStop : WatchVerdict::kApply;
}

WatchVerdict ReflectorMachine::SawBookmark(const WatchEvent& event) {
  refusals_ = 0;
  if (phase_ == Phase::kWatch) {
    version_ = event.meta.resource_version;
    return WatchVerdict::kIgnore;
  }
  if (!event.initial_events_end) return WatchVerdict::kIgnore;
  WatchFrom(event.meta.resource_version);
  return WatchVerdict::kListComplete;
}

WatchVerdict ReflectorMachine::SawError(const WatchEvent& event) {
  if (phase_ == Phase::kWatch) {
    expired_ = event.expired;
    event.expired ? ListAnew() : NoteRefusal();
  }
  return WatchVerdict::kStop;
}

void ReflectorMachine::StreamEnded(Instant now) {
  not_before_ = backoff_.After(started_, now);
  if (std::exchange(expired_, false)) ListSoon(now);
  // Of a watch that was given up, the list that takes its place has not begun yet.
  const bool broke_off = started_as_ == Phase::kStreamedList && phase_ == Phase::kStreamedList;
  if (broke_off) StreamedListFailed(0);
}

void ReflectorMachine::Failed(const RequestFailure& failure, Instant now) {
  not_before_ = backoff_.After(started_, now);
  if (failure.retry_after) {
    const Duration pause = std::clamp(*failure.retry_after, Duration::zero(), kLongestRetryAfter);
    not_before_ = std::max(not_before_, now + pause);
  }
  switch (phase_) {
    case Phase::kPagedList:
      return PageFailed(failure);
    case Phase::kStreamedList:
      return StreamedListFailed(failure.status);
    case Phase::kWatch:
      if (failure.status == kGone && !failure.retry_after) ListSoon(now);
      return WatchFailed(failure.status);
  }
}

// After an outage the pause is long, and the server that says 410 is back: what has changed
// meanwhile should not wait for the pause. A server that says nothing else is not asked more often
// for it.
void ReflectorMachine::ListSoon(Instant now) {
  const ReconnectTimes& times = options_.reconnect;
  if (listed_soon_ && now - *listed_soon_ < times.healthy) return;
  listed_soon_ = now;
  const Duration spread = FromSeconds(ToSeconds(times.shortest) * rng_.Unit());
  not_before_ = std::min(not_before_, now + spread);
}

void ReflectorMachine::PageFailed(const RequestFailure& failure) {
  // A page that is late or lost is asked for again. A token that is refused needs a new list; if it
  // ran out, because the server is too slow for many pages, one that comes in one piece.
  const bool refused = IsClientError(failure.status) && !IsPassing(failure.status);
  if (continue_token_.empty() || !refused) return;
  unpaged_ = failure.status == kGone;
  continue_token_.clear();
  listed_ = 0;
}

void ReflectorMachine::StreamedListFailed(int status) {
  ++streaming_failures_;
  listed_ = 0;
  if (RefusesForGood(status)) streaming_offered_ = false;
  if (streaming_offered_ && streaming_failures_ < kMostStreamingFailures) return;
  streaming_failures_ = 0;
  phase_ = Phase::kPagedList;
}

void ReflectorMachine::WatchFailed(int status) {
  if (IsPassing(status) || status == kForbidden) return;
  // 410 says that the version is gone; another refusal (400, 404, 422) that it never was one.
  IsClientError(status) ? ListAnew() : NoteRefusal();
}

void ReflectorMachine::NoteRefusal() {
  // A server restored from a backup refuses versions from its lost future for ever.
  if (++refusals_ >= kMostRefusals) ListAnew();
}

void ReflectorMachine::ListAnew() {
  phase_ = streaming_offered_ ? Phase::kStreamedList : Phase::kPagedList;
  version_.clear();
  continue_token_.clear();
  listed_ = 0;
  refusals_ = 0;
}

void ReflectorMachine::WatchFrom(const std::string& version) {
  phase_ = Phase::kWatch;
  version_ = version;
  unpaged_ = false;
  streaming_failures_ = 0;
  refusals_ = 0;
}

}  // namespace evenkeel::kube
