#include "kubernetes/reflector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "kubernetes/api_error.h"
#include "kubernetes/object.h"

namespace evenkeel::kube {
namespace {

constexpr int kDepthOfMembers = 1;
constexpr int kDepthOfItems = 2;

/// Follows the parser and takes every item of `items` out of its hands.
class ItemTaker {
 public:
  explicit ItemTaker(const ItemVisitor& visit) : visit_(visit) {}

  /// The parser's callback: returns whether to keep the value that was read.
  bool Keep(int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == kDepthOfMembers) {
      in_items_ = parsed.is_string() && parsed.get_ref<const std::string&>() == "items";
    }
    const bool item_ends = event == Json::parse_event_t::object_end && depth == kDepthOfItems;
    if (!in_items_ || !item_ends) return true;
    Take(parsed);
    return false;
  }

  [[nodiscard]] std::int64_t Count() const { return count_; }
  /// Empty when every item had what it must have.
  [[nodiscard]] const std::string& Problem() const { return problem_; }

 private:
  void Take(const Json& item) {
    // The kind and version of an item stand at the list only; projections do not need them.
    const Result<ObjectMeta> meta = ReadMeta(item);
    if (!meta) {
      problem_ = meta.error().message;
      return;
    }
    ++count_;
    visit_(*meta, item);
  }

  const ItemVisitor& visit_;
  bool in_items_ = false;
  std::int64_t count_ = 0;
  std::string problem_;
};

}  // namespace

Result<PageSummary> ReadPage(const std::string& body, const ItemVisitor& visit) {
  ItemTaker taker(visit);
  const auto keep = [&taker](int depth, Json::parse_event_t event, Json& parsed) {
    return taker.Keep(depth, event, parsed);
  };
  const Json list = Json::parse(body, keep, /*allow_exceptions=*/false);
  if (!list.is_object()) return InvalidInput("the body of a list is not a JSON object");
  if (!taker.Problem().empty()) return InvalidInput("a list has " + taker.Problem());

  const Json& metadata = MemberOf(list, "metadata");
  PageSummary page{TextAt(metadata, "resourceVersion"), TextAt(metadata, "continue"), taker.Count(),
                   body.size()};
  if (page.resource_version.empty()) return InvalidInput("a list without a resourceVersion");
  return page;
}

namespace {

std::optional<WatchEventType> TypeNamed(const std::string& name) {
  if (name == "ADDED") return WatchEventType::kAdded;
  if (name == "MODIFIED") return WatchEventType::kModified;
  if (name == "DELETED") return WatchEventType::kDeleted;
  if (name == "BOOKMARK") return WatchEventType::kBookmark;
  if (name == "ERROR") return WatchEventType::kError;
  return std::nullopt;
}

void ReadError(const Json& status, WatchEvent& event) {
  const ApiError error = ErrorFromStatus(status, "an error in the watch");
  event.expired = error.kind == ApiErrorKind::kGone || error.reason == "Expired";
  event.message = error.message;
}

Result<void> ReadBookmark(const Json& object, WatchEvent& event) {
  const Json& metadata = MemberOf(object, "metadata");
  event.meta.resource_version = TextAt(metadata, "resourceVersion");
  if (event.meta.resource_version.empty()) return InvalidInput("a bookmark without a version");
  event.initial_events_end =
      TextAt(MemberOf(metadata, "annotations"), "k8s.io/initial-events-end") == "true";
  return {};
}

}  // namespace

Result<WatchEvent> ReadWatchEvent(std::string_view line) {
  Json parsed = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return InvalidInput("a line of a watch that is not a JSON object");
  const std::optional<WatchEventType> type = TypeNamed(TextAt(parsed, "type"));
  if (!type) return InvalidInput("an event of an unknown type");

  WatchEvent event;
  event.type = *type;
  const Json& object = MemberOf(parsed, "object");
  if (*type == WatchEventType::kError) {
    ReadError(object, event);
    return event;
  }
  if (*type == WatchEventType::kBookmark) {
    const Result<void> read = ReadBookmark(object, event);
    if (!read) return tl::unexpected(read.error());
    return event;
  }
  Result<ObjectMeta> meta = ReadMeta(object);
  if (!meta) return tl::unexpected(meta.error());
  event.meta = std::move(*meta);
  event.object = std::move(parsed["object"]);
  return event;
}

namespace {

/// Refusals of one kind in a row after which a version, or a way to list, is given up.
constexpr int kMostStreamingFailures = 2;
constexpr int kMostRefusals = 3;
/// No server's Retry-After makes a reflector deaf for longer.
constexpr Duration kLongestRetryAfter = std::chrono::minutes(2);

/// Media types of objects reduced to their metadata (Kubernetes API concepts, "Metadata-only
/// fetches").
const std::string kPartialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const std::string kPartialObject = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kRequestTimeout = 408;
constexpr int kGone = 410;
constexpr int kTooManyRequests = 429;
constexpr int kGatewayTimeout = 504;

/// Pages shrink above half of the time limit. They grow below a quarter of the limit of bytes and
/// an eighth of the time limit: a page of twice the size is then still far from shrinking.
constexpr int kShrinkAboveTime = 2;
constexpr std::size_t kGrowBelowBytes = 4;
constexpr int kGrowBelowTime = 8;

bool IsClientError(int status) { return status >= 400 && status < 500; }

/// Temporary failures: the same request may succeed later.
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
      page_size_(options.page_size),
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
  page.limit = unpaged_ ? 0 : page_size_;
  page.continue_token = continue_token_;
  ReflectorRequest request;
  request.kind = ReflectorRequestKind::kPage;
  request.target = ListTarget(options_.resource, options_.namespace_name, page);
  if (options_.metadata_only) request.accept = kPartialList;
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
  request.target = WatchTarget(options_.resource, options_.namespace_name, watch);
  if (options_.metadata_only) request.accept = kPartialObject;
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
  AdaptPageSize(page, now);
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

void ReflectorMachine::AdaptPageSize(const PageSummary& page, Instant now) {
  if (unpaged_) return;
  const Duration taken = now - started_;
  if (page.bytes > options_.max_page_bytes || taken > options_.list_timeout / kShrinkAboveTime) {
    page_size_ = std::max<std::int64_t>(1, page_size_ / 2);
  } else if (page.items >= page_size_ && page.bytes < options_.max_page_bytes / kGrowBelowBytes &&
             taken < options_.list_timeout / kGrowBelowTime) {
    page_size_ = std::min<std::int64_t>(page_size_ * 2, options_.page_size);
  }
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
  // After a watch that was given up, phase_ is a list that has not begun yet.
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
  // The transport does not say whether an answer was too large, too slow, or cut off by an outage.
  // A smaller page helps in the first two cases and costs little in the third.
  if (failure.status == 0 || failure.status == kRequestTimeout ||
      failure.status == kGatewayTimeout) {
    if (!unpaged_) page_size_ = std::max<std::int64_t>(1, page_size_ / 2);
    unpaged_ = false;
  }
  // Request a late or lost page again. A refused token needs a new list. An expired one means that
  // the server is too slow for many pages: request the list in one piece.
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

namespace {

constexpr int kOk = 200;

}  // namespace

/// Hands the lines of one stream on and remembers whether there was any.
class Reflector::Lines final : public LineSink {
 public:
  explicit Lines(Reflector& reflector) : reflector_(reflector) {}

  bool OnLine(std::string_view line) override {
    any_ = true;
    return reflector_.TakeLine(line);
  }
  [[nodiscard]] bool Any() const { return any_; }

 private:
  Reflector& reflector_;
  bool any_ = false;
};

Reflector::Reflector(const ServerAccess& access, const ReflectorOptions& options, ObjectSink& sink,
                     std::uint64_t seed)
    : access_(access),
      path_(CollectionPath(options.resource, options.namespace_name)),
      sink_(sink),
      machine_(options, seed) {}

Reflector::~Reflector() { Stop(); }

void Reflector::Start() {
  EVENKEEL_CHECK(!thread_.joinable(), "a reflector that is started twice");
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Reflector::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

ReflectorStats Reflector::Stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

void Reflector::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const ReflectorRequest request = machine_.Next();
    const Duration pause = request.not_before - access_.clock.Now();
    if (pause > Duration::zero() && !access_.waiter.WaitFor(pause, stop)) return;
    machine_.Started(access_.clock.Now());
    if (request.begins_list) sink_.BeginList();
    if (request.kind == ReflectorRequestKind::kPage) {
      FetchPage(request);
    } else {
      Watch(request, stop);
    }
  }
}

void Reflector::FetchPage(const ReflectorRequest& request) {
  Request page;
  page.method = "GET";
  page.target = request.target;
  page.accept = request.accept;
  page.timeout = request.timeout;
  const Result<Response> response = access_.transport.Send(page);
  if (!response) return Fail({}, response.error().message);
  if (response->status != kOk) {
    return Refused(*response);
  }
  FinishPage(*response);
}

void Reflector::FinishPage(const Response& response) {
  const Result<PageSummary> page =
      ReadPage(response.body,
               [this](const ObjectMeta& meta, const Json& object) { sink_.Put(meta, object); });
  if (!page) return Fail({}, page.error().message);
  Heard();
  switch (machine_.PageRead(*page, access_.clock.Now())) {
    case PageVerdict::kMore:
      return;
    case PageVerdict::kListComplete:
      return CompleteList();
    case PageVerdict::kTooMany:
      return NoteFailure("the list has more items than the operator takes");
  }
}

void Reflector::Watch(const ReflectorRequest& request, const std::stop_token& stop) {
  {
    const std::scoped_lock lock(mutex_);
    ++stats_.watches;
  }
  Request watch;
  watch.method = "GET";
  watch.target = request.target;
  watch.accept = request.accept;
  watch.timeout = request.timeout;
  Lines lines(*this);
  const Result<Response> response = access_.transport.Stream(watch, lines, stop);
  if (stop.stop_requested()) return;
  if (!response && !lines.Any()) return Fail({}, response.error().message);
  if (response && response->status != kOk) {
    return Refused(*response);
  }
  machine_.StreamEnded(access_.clock.Now());
}

bool Reflector::TakeLine(std::string_view line) {
  const Result<WatchEvent> event = ReadWatchEvent(line);
  if (!event) {
    NoteFailure(event.error().message);
    return false;
  }
  return TakeEvent(*event);
}

bool Reflector::TakeEvent(const WatchEvent& event) {
  const WatchVerdict verdict = machine_.Saw(event);
  if (verdict == WatchVerdict::kStop) {
    NoteFailure(event.message.empty() ? "a list without end" : event.message);
    return false;
  }
  Heard();
  if (verdict == WatchVerdict::kListComplete) CompleteList();
  if (verdict != WatchVerdict::kApply) return true;
  if (event.type == WatchEventType::kDeleted) {
    sink_.Remove(event.meta);
  } else {
    sink_.Put(event.meta, event.object);
  }
  return true;
}

void Reflector::CompleteList() {
  sink_.CompleteList();
  const std::scoped_lock lock(mutex_);
  ++stats_.lists;
}

void Reflector::Heard() {
  const std::scoped_lock lock(mutex_);
  stats_.last_heard = access_.clock.Now();
  stats_.last_failure.clear();
}

void Reflector::NoteFailure(const std::string& what) {
  {
    const std::scoped_lock lock(mutex_);
    ++stats_.failures;
    // The same trouble again is not worth a second line.
    if (std::exchange(stats_.last_failure, what) == what) return;
  }
  Log(LogLevel::kWarning, path_ + ": " + what);
}

void Reflector::Refused(const Response& response) {
  const ApiError error = ErrorFromResponse(response, "GET " + path_);
  if (error.kind == ApiErrorKind::kUnauthorized && access_.tokens) access_.tokens->Refused();
  Fail({response.status, response.retry_after}, error.message);
}

void Reflector::Fail(const RequestFailure& failure, const std::string& what) {
  NoteFailure(what);
  machine_.Failed(failure, access_.clock.Now());
}

}  // namespace evenkeel::kube
