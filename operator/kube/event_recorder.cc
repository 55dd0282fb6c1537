#include "operator/kube/event_recorder.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "operator/kube/client.h"

namespace evenkeel::kube {
namespace {

constexpr Duration kLongestSleep = std::chrono::minutes(10);

const Resource& Events() {
  static const Resource events{"events.k8s.io", "v1", "events", true};
  return events;
}

EventOutcome OutcomeOf(const ApiError& error) {
  switch (error.kind) {
    case ApiErrorKind::kNotFound:
      return EventOutcome::kMissing;
    case ApiErrorKind::kAlreadyExists:
    case ApiErrorKind::kConflict:
      return EventOutcome::kExists;
    case ApiErrorKind::kForbidden:
    case ApiErrorKind::kNamespaceEnds:
    case ApiErrorKind::kInvalid:
      return EventOutcome::kRefused;
    default:
      return EventOutcome::kFailed;
  }
}

}  // namespace

EventRecorder::EventRecorder(const ServerAccess& access, const WallClock& wall,
                             EventRecorderOptions options)
    : access_(access), wall_(wall), options_(std::move(options)), book_(options_.book) {}

EventRecorder::~EventRecorder() { Stop(); }

void EventRecorder::Record(Event event) {
  EVENKEEL_CHECK(!event.reason.empty() && !event.action.empty(), "an event without its words");
  ++recorded_;
  {
    const std::scoped_lock lock(mutex_);
    if (noted_.size() >= options_.most_queued) {
      ++dropped_;
      return;
    }
    noted_.push_back({std::move(event), wall_.Now()});
  }
  changed_.notify_one();
}

void EventRecorder::Start() {
  EVENKEEL_CHECK(!thread_.joinable(), "a recorder that is started twice");
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void EventRecorder::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

EventCounts EventRecorder::Counts() const { return {recorded_, written_, dropped_}; }

void EventRecorder::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    WaitForWork(stop);
    TakeNoted();
    WriteNext(access_.clock.Now());
  }
  Flush();
}

void EventRecorder::WaitForWork(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const Instant now = access_.clock.Now();
  const Instant due = std::min(book_.NextDue(), now + kLongestSleep);
  changed_.wait_for(lock, stop, due - now, [this] { return !noted_.empty(); });
}

void EventRecorder::TakeNoted() {
  std::deque<Noted> noted;
  {
    const std::scoped_lock lock(mutex_);
    noted.swap(noted_);
  }
  for (const Noted& one : noted) {
    if (!book_.Note(one.event, access_.clock.Now(), one.wall)) ++dropped_;
  }
}

bool EventRecorder::WriteNext(Instant due_by) {
  const auto write = book_.Next(due_by);
  if (!write) return false;
  const EventOutcome outcome = Write(*write);
  if (outcome == EventOutcome::kWritten) ++written_;
  if (book_.Finished(*write, outcome, access_.clock.Now())) ++dropped_;
  return outcome != EventOutcome::kFailed;
}

EventOutcome EventRecorder::Write(const EventWrite& write) {
  ClientOptions options;
  options.retry.max_attempts = 1;
  options.tokens = access_.tokens;
  options.timeout = options_.request_timeout;
  const Client client(access_.transport, std::move(options));
  const ObjectKey& key = write.state.key;
  const ApiResult<Json> answer =
      write.is_new ? client.Create(Events(), key.space, EventObject(write.state, options_.reporter))
                   : client.MergePatch(Events(), key.space, key.name, SeriesPatch(write.state));
  if (answer) {
    last_failure_.clear();
    return EventOutcome::kWritten;
  }
  // The same trouble again is not worth a second line.
  if (std::exchange(last_failure_, answer.error().message) != answer.error().message) {
    Log(LogLevel::kWarning, "event " + ToString(key) + ": " + answer.error().message);
  }
  return OutcomeOf(answer.error());
}

void EventRecorder::Flush() {
  TakeNoted();
  const Instant end = access_.clock.Now() + options_.flush_time;
  while (access_.clock.Now() < end && WriteNext(kNever)) {
  }
}

}  // namespace evenkeel::kube
