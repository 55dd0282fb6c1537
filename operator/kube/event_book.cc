#include "operator/kube/event_book.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace evenkeel::kube {
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

bool EventBook::Note(const Event& event, Instant now, WallTime wall) {
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

bool EventBook::TakeToken(const std::string& object, Instant now) {
  // Virtual scheduling: a bucket is empty when it would take `burst` intervals to fill it again.
  const auto [place, is_new] = buckets_.try_emplace(object, now);
  const Instant full_again = std::max(place->second, now) + options_.refill;
  if (full_again - now > options_.refill * options_.burst) return false;
  place->second = full_again;
  return true;
}

void EventBook::Forget(Instant now) {
  std::erase_if(book_, [&](const auto& entry) {
    return !IsPending(entry.second) && now - entry.second.last_seen > options_.series_gap;
  });
  std::erase_if(buckets_, [&](const auto& entry) { return entry.second <= now; });
}

ObjectKey EventBook::NewKey(const ObjectKey& regarding, WallTime wall) {
  last_stamp_ = std::max<std::int64_t>(last_stamp_ + 1, wall.time_since_epoch().count());
  std::array<char, 32> stamp{};
  std::snprintf(stamp.data(), stamp.size(), ".%llx", static_cast<unsigned long long>(last_stamp_));
  std::string name = regarding.name.substr(0, kMostNameBytes);
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
  // Events about objects of the whole cluster are kept in this namespace by convention.
  return {regarding.space.empty() ? "default" : regarding.space, name + stamp.data()};
}

bool EventBook::IsPending(const Series& series) { return series.written < series.state.count; }

EventBook::Book::const_iterator EventBook::Earliest() const {
  auto earliest = book_.end();
  for (auto series = book_.begin(); series != book_.end(); ++series) {
    if (!IsPending(series->second)) continue;
    if (earliest == book_.end() || series->second.write_at < earliest->second.write_at) {
      earliest = series;
    }
  }
  return earliest;
}

std::optional<EventWrite> EventBook::Next(Instant due_by) const {
  const auto earliest = Earliest();
  if (earliest == book_.end() || earliest->second.write_at > due_by) return std::nullopt;
  const Series& series = earliest->second;
  return EventWrite{earliest->first, series.written == 0, series.state};
}

Instant EventBook::NextDue() const {
  const auto earliest = Earliest();
  return earliest == book_.end() ? kNever : earliest->second.write_at;
}

bool EventBook::Finished(const EventWrite& write, EventOutcome outcome, Instant now) {
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

bool EventBook::TryAgain(Book::iterator series, Instant now) {
  const std::int32_t attempts = ++series->second.attempts;
  if (attempts >= options_.most_attempts) {
    book_.erase(series);
    return true;
  }
  const Duration pause = kFirstRetry * (std::int64_t{1} << std::min(attempts - 1, 6));
  series->second.write_at = now + std::min(pause, options_.longest_refresh);
  return false;
}

}  // namespace evenkeel::kube
