#include "report/timeline_digest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "report/json_reader.h"

namespace evenkeel::report {
namespace {

constexpr std::size_t kNoBar = std::numeric_limits<std::size_t>::max();
constexpr std::uint32_t kMaxTracks = 8;

/// The longest invisible pause: a fraction of a bin of the progress curve, which is about a pixel.
Duration Unseen(const ProgressCurve& progress) { return progress.Step() / 4; }

void Extend(TimelineBar& bar, const TimelineBar& next) {
  bar.start = std::min(bar.start, next.start);
  bar.end = std::max(bar.end, next.end);
  bar.busy += next.busy;
  bar.range = {std::min(bar.range.begin, next.range.begin),
               std::max(bar.range.end, next.range.end)};
  bar.tasks += next.tasks;
  bar.ranges += next.ranges;
}

/// True if `next` continues `bar` in tasks and in time.
bool FollowsOn(const TimelineBar& bar, const TimelineBar& next, Duration unseen) {
  const Duration pause = next.start - bar.end;
  return bar.kind == next.kind && bar.range.end == next.range.begin && pause <= unseen &&
         pause >= -unseen;
}

bool SameRow(const TimelineBar& a, const TimelineBar& b) {
  return a.worker == b.worker && a.kind == b.kind && a.track == b.track;
}

/// Joins each bar to the previous one if `joins` is true for both.
template <typename Predicate>
void JoinNeighbours(std::vector<TimelineBar>& bars, Predicate joins) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < bars.size(); ++i) {
    if (joins(bars[kept], bars[i])) {
      Extend(bars[kept], bars[i]);
    } else {
      bars[++kept] = bars[i];
    }
  }
  if (!bars.empty()) bars.resize(kept + 1);
}

/// Rounded to microseconds, as in timeline.jsonl.
double Seconds(Duration duration) {
  return static_cast<double>((duration.count() + 500) / 1000) / 1e6;
}

}  // namespace

TimelineDigest::TimelineDigest(const std::vector<std::string>& workers) {
  for (const std::string& worker : workers) (void)WorkerIndex(worker);
}

std::uint32_t TimelineDigest::WorkerIndex(const std::string& name) {
  const auto [found, is_new] =
      worker_index_.try_emplace(name, static_cast<std::uint32_t>(workers_.size()));
  if (is_new) {
    workers_.push_back(name);
    tracks_.push_back(1);
    last_bar_.push_back(kNoBar);
  }
  return found->second;
}

void TimelineDigest::Add(const TimelineEntry& entry) {
  if (const auto* record = std::get_if<model::ResultRecord>(&entry)) {
    AddRecord(*record);
  } else {
    AddEvent(std::get<model::TimelineEvent>(entry));
  }
}

void TimelineDigest::AddRecord(const model::ResultRecord& record) {
  ++range_count_;
  progress_.Add(record.started, record.ended, record.range.Size());
  TimelineBar bar;
  bar.worker = WorkerIndex(record.node);
  bar.kind = record.kind;
  bar.start = record.started;
  bar.end = record.ended;
  bar.busy = record.busy;
  bar.range = record.range;
  bar.tasks = record.range.Size();
  bar.ranges = 1;
  // Joining here bounds the memory for a long timeline, whatever the order of its lines.
  std::size_t& last = last_bar_[bar.worker];
  if (last != kNoBar && FollowsOn(bars_[last], bar, Unseen(progress_))) {
    Extend(bars_[last], bar);
    return;
  }
  last = bars_.size();
  bars_.push_back(bar);
}

void TimelineDigest::AddEvent(const model::TimelineEvent& event) {
  ++event_count_;
  if (!event.node.empty()) (void)WorkerIndex(event.node);
  if (!event.from_node.empty()) (void)WorkerIndex(event.from_node);
  events_.push_back(event);
}

void TimelineDigest::AssignTracks() {
  std::vector<Duration> track_ends;
  std::uint32_t worker = std::numeric_limits<std::uint32_t>::max();
  for (TimelineBar& bar : bars_) {
    if (bar.worker != worker) track_ends.clear();
    worker = bar.worker;
    auto free = std::find_if(track_ends.begin(), track_ends.end(),
                             [&](Duration end) { return end <= bar.start + Unseen(progress_); });
    if (free == track_ends.end() && track_ends.size() < kMaxTracks) {
      free = track_ends.insert(free, Duration::min());
    } else if (free == track_ends.end()) {
      free = std::min_element(track_ends.begin(), track_ends.end());
    }
    *free = std::max(*free, bar.end);
    bar.track = static_cast<std::uint32_t>(free - track_ends.begin());
    tracks_[worker] = std::max(tracks_[worker], bar.track + 1);
  }
}

void TimelineDigest::JoinBars(Duration pause) {
  JoinNeighbours(bars_, [pause](const TimelineBar& bar, const TimelineBar& next) {
    return SameRow(bar, next) && next.start - bar.end <= pause;
  });
  hidden_pause_ = pause;
}

void TimelineDigest::ThinEvents(std::size_t max_events) {
  std::stable_sort(events_.begin(), events_.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  std::map<model::TimelineEvent::Kind, std::size_t> count;
  for (const auto& event : events_) ++count[event.kind];
  std::map<model::TimelineEvent::Kind, std::size_t> seen;
  std::erase_if(events_, [&](const model::TimelineEvent& event) {
    // Keeps every n-th event, counted from the end, so that the last one stays.
    const std::size_t left = count[event.kind] - ++seen[event.kind];
    const std::size_t stride = (count[event.kind] + max_events - 1) / max_events;
    return left % stride != 0;
  });
}

void TimelineDigest::Condense(std::size_t max_bars, std::size_t max_events) {
  std::sort(bars_.begin(), bars_.end(), [](const TimelineBar& a, const TimelineBar& b) {
    return std::tie(a.worker, a.start, a.range.begin) < std::tie(b.worker, b.start, b.range.begin);
  });
  const Duration unseen = Unseen(progress_);
  JoinNeighbours(bars_, [unseen](const TimelineBar& bar, const TimelineBar& next) {
    return bar.worker == next.worker && FollowsOn(bar, next, unseen);
  });
  AssignTracks();
  std::stable_sort(bars_.begin(), bars_.end(), [](const TimelineBar& a, const TimelineBar& b) {
    return std::tie(a.worker, a.kind, a.track, a.start) <
           std::tie(b.worker, b.kind, b.track, b.start);
  });
  const Duration whole = progress_.Step() * 1024;
  for (Duration pause = unseen; bars_.size() > max_bars && pause < whole; pause *= 2) {
    JoinBars(pause);
  }
  ThinEvents(max_events);
}

std::string TimelineData(const TimelineDigest& digest) {
  Json bars = Json::array();
  for (const TimelineBar& bar : digest.Bars()) {
    bars.push_back({bar.worker, bar.track, KindName(bar.kind), Seconds(bar.start), Seconds(bar.end),
                    bar.range.begin, bar.range.end, bar.tasks, bar.ranges, Seconds(bar.busy)});
  }
  Json events = Json::array();
  for (const model::TimelineEvent& event : digest.Events()) {
    events.push_back(Json::parse(TimelineLine(event)));
  }
  std::vector<double> progress = digest.Progress().Cumulative();
  for (double& tasks : progress) tasks = std::round(tasks * 10) / 10;
  const Json data = {
      {"workers", digest.Workers()},
      {"tracks", digest.Tracks()},
      {"bars", std::move(bars)},
      {"events", std::move(events)},
      {"progress", {{"step", ToSeconds(digest.Progress().Step())}, {"tasks", progress}}},
      {"ranges", digest.RangeCount()},
      {"eventCount", digest.EventCount()},
      {"hiddenPause", Seconds(digest.HiddenPause())}};
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evenkeel::report
