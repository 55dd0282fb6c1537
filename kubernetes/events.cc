#include "kubernetes/events.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "kubernetes/client.h"

namespace evenkeel::kube {
namespace {

// Limits of the API server's validation of events.
constexpr std::size_t kMostNote = 1024;
constexpr std::size_t kMostWord = 128;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

Json SeriesOf(const EventState& state) {
  return {{"count", state.count}, {"lastObservedTime", MicroTime(state.last)}};
}

Json Reference(const ObjectReference& regarding) {
  Json reference{{"apiVersion", regarding.api_version},
                 {"kind", regarding.kind},
                 {"name", regarding.key.name}};
  if (!regarding.key.namespace_name.empty()) reference["namespace"] = regarding.key.namespace_name;
  if (!regarding.uid.empty()) reference["uid"] = regarding.uid;
  return reference;
}

}  // namespace

std::string CutText(std::string_view text, std::size_t limit) {
  const std::string_view begin = text.substr(0, std::min(text.size(), limit));
  // Writing and reading it as JSON replaces what is not UTF-8, which may make it longer again.
  const std::string escaped = Json(begin).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string valid = Json::parse(escaped).get<std::string>();
  if (valid.size() <= limit) return valid;
  std::size_t end = limit;
  while (end > 0 && IsContinuation(valid[end])) --end;
  valid.resize(end);
  return valid;
}

Json EventObject(const EventState& state, const EventReporter& reporter) {
  Json object{{"apiVersion", "events.k8s.io/v1"},
              {"kind", "Event"},
              {"metadata", {{"namespace", state.key.namespace_name}, {"name", state.key.name}}},
              {"eventTime", MicroTime(state.first)},
              {"reportingController", reporter.controller},
              {"reportingInstance", CutText(reporter.instance, kMostWord)},
              {"type", state.event.type == EventType::kNormal ? "Normal" : "Warning"},
              {"reason", CutText(state.event.reason, kMostWord)},
              {"action", CutText(state.event.action, kMostWord)},
              {"note", CutText(state.event.note, kMostNote)},
              {"regarding", Reference(state.event.regarding)}};
  if (state.count > 1) object["series"] = SeriesOf(state);
  return object;
}

Json SeriesPatch(const EventState& state) { return {{"series", SeriesOf(state)}}; }

namespace {

/// Leaves room for the stamp within the 253 bytes of a name.
constexpr std::size_t kMostNameBytes = 220;
constexpr Duration kFirstRetry = std::chrono::seconds(1);

std::string ObjectWord(const ObjectReference& regarding) {
  return regarding.kind + "\n" + ToString(regarding.key) + "\n" + regarding.uid;
}

std::string SeriesWord(const Event& event) {
  const char* type = event.type == EventType::kNormal ? "Normal" : "Warning";
  return ObjectWord(event.regarding) + "\n" + type + "\n" + event.reason + "\n" + event.action;
}

}  // namespace

bool EventCorrelator::Note(const Event& event, Instant now, WallTime wall) {
  Forget(now);
  const std::string word = SeriesWord(event);
  const auto known = book_.find(word);
  if (known != book_.end()) {
    Series& series = known->second;
    series.state.last = wall;
    series.last_seen = now;
    if (series.state.count < std::numeric_limits<std::int32_t>::max()) ++series.state.count;
    return true;
  }
  if (book_.size() >= options_.most_series || !TakeToken(ObjectWord(event.regarding), now)) {
    return false;
  }
  Series series;
  series.state = {NewKey(event.regarding.key, wall), event, wall, wall, 1};
  series.last_seen = now;
  series.write_at = now;
  series.refresh = options_.shortest_refresh;
  book_.emplace(word, std::move(series));
  return true;
}

bool EventCorrelator::TakeToken(const std::string& object, Instant now) {
  // Virtual scheduling: a bucket is empty when it would take `burst` intervals to fill it again.
  const auto [place, is_new] = buckets_.try_emplace(object, now);
  const Instant full_again = std::max(place->second, now) + options_.refill;
  if (full_again - now > options_.refill * options_.burst) return false;
  place->second = full_again;
  return true;
}

void EventCorrelator::Forget(Instant now) {
  std::erase_if(book_, [&](const auto& entry) {
    return !IsPending(entry.second) && now - entry.second.last_seen > options_.series_gap;
  });
  std::erase_if(buckets_, [&](const auto& entry) { return entry.second <= now; });
}

ObjectKey EventCorrelator::NewKey(const ObjectKey& regarding, WallTime wall) {
  last_stamp_ = std::max<std::int64_t>(last_stamp_ + 1, wall.time_since_epoch().count());
  std::array<char, 32> stamp{};
  std::snprintf(stamp.data(), stamp.size(), ".%llx", static_cast<unsigned long long>(last_stamp_));
  std::string name = regarding.name.substr(0, kMostNameBytes);
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
  // Events about objects of the whole cluster are kept in this namespace by convention.
  return {regarding.namespace_name.empty() ? "default" : regarding.namespace_name,
          name + stamp.data()};
}

bool EventCorrelator::IsPending(const Series& series) {
  return series.written < series.state.count;
}

EventCorrelator::Book::const_iterator EventCorrelator::Earliest() const {
  auto earliest = book_.end();
  for (auto series = book_.begin(); series != book_.end(); ++series) {
    if (!IsPending(series->second)) continue;
    if (earliest == book_.end() || series->second.write_at < earliest->second.write_at) {
      earliest = series;
    }
  }
  return earliest;
}

std::optional<EventWrite> EventCorrelator::Next(Instant due_by) const {
  const auto earliest = Earliest();
  if (earliest == book_.end() || earliest->second.write_at > due_by) return std::nullopt;
  const Series& series = earliest->second;
  return EventWrite{earliest->first, series.written == 0, series.state};
}

Instant EventCorrelator::NextDue() const {
  const auto earliest = Earliest();
  return earliest == book_.end() ? kNever : earliest->second.write_at;
}

bool EventCorrelator::Finished(const EventWrite& write, EventOutcome outcome, Instant now) {
  const auto found = book_.find(write.series);
  if (found == book_.end()) return false;
  Series& series = found->second;
  switch (outcome) {
    case EventOutcome::kWritten:
      series.written = write.state.count;
      series.attempts = 0;
      series.write_at = now + series.refresh;
      series.refresh = std::min(2 * series.refresh, options_.longest_refresh);
      return false;
    case EventOutcome::kMissing:
      series.written = 0;
      break;
    case EventOutcome::kExists:
      series.state.key = NewKey(series.state.event.regarding.key, series.state.last);
      break;
    case EventOutcome::kRefused:
      book_.erase(found);
      return true;
    case EventOutcome::kFailed:
      break;
  }
  return TryAgain(found, now);
}

bool EventCorrelator::TryAgain(Book::iterator series, Instant now) {
  const std::int32_t attempts = ++series->second.attempts;
  if (attempts >= options_.most_attempts) {
    book_.erase(series);
    return true;
  }
  const Duration pause = kFirstRetry * (std::int64_t{1} << std::min(attempts - 1, 6));
  series->second.write_at = now + std::min(pause, options_.longest_refresh);
  return false;
}

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
    case ApiErrorKind::kNamespaceTerminating:
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
      write.is_new
          ? client.Create(Events(), key.namespace_name, EventObject(write.state, options_.reporter))
          : client.MergePatch(Events(), key.namespace_name, key.name, SeriesPatch(write.state));
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
