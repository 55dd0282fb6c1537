#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/run_record.h"
#include "report/progress_curve.h"
#include "report/timeline.h"

namespace evenkeel::report {

/// A bar of the timeline: one or more consecutive ranges of the same kind on one worker.
struct TimelineBar {
  std::uint32_t worker = 0;  ///< index into TimelineDigest::Workers()
  std::uint32_t track = 0;   ///< overlapping bars of one worker are on different tracks
  model::RunKind kind = model::RunKind::kPlanned;
  Duration start{};
  Duration end{};
  Duration busy{};
  model::IndexRange range;  ///< the smallest range that contains all of them
  std::int64_t tasks = 0;
  std::int64_t ranges = 0;
};

/// Condenses a timeline of any length to a bounded number of bars: consecutive ranges of the same
/// kind become one bar; if there are still too many, bars with increasing pauses between them are
/// joined. Entries may be added in any order. Not thread-safe.
class TimelineDigest {
 public:
  /// `workers` come first, in this order; others follow in order of appearance.
  explicit TimelineDigest(const std::vector<std::string>& workers);

  void Add(const TimelineEntry& entry);

  /// Reduces to at most `max_bars` bars (but at least one for each worker, track and kind) and
  /// `max_events` events of each kind. Called once, after the last Add.
  void Condense(std::size_t max_bars, std::size_t max_events);

  [[nodiscard]] const std::vector<std::string>& Workers() const { return workers_; }
  /// Number of tracks of each worker, at least 1.
  [[nodiscard]] const std::vector<std::uint32_t>& Tracks() const { return tracks_; }
  /// Sorted by worker, then kind, so that later bars are drawn over earlier ones.
  [[nodiscard]] const std::vector<TimelineBar>& Bars() const { return bars_; }
  /// Sorted by time.
  [[nodiscard]] const std::vector<model::TimelineEvent>& Events() const { return events_; }
  [[nodiscard]] const ProgressCurve& Progress() const { return progress_; }

  [[nodiscard]] std::int64_t RangeCount() const { return range_count_; }
  [[nodiscard]] std::int64_t EventCount() const { return event_count_; }
  /// Pauses up to this length are not visible.
  [[nodiscard]] Duration HiddenPause() const { return hidden_pause_; }

 private:
  void AddRecord(const model::ResultRecord& record);
  void AddEvent(const model::TimelineEvent& event);
  [[nodiscard]] std::uint32_t WorkerIndex(const std::string& name);
  void AssignTracks();
  void JoinBars(Duration pause);
  void ThinEvents(std::size_t max_events);

  std::vector<std::string> workers_;
  std::map<std::string, std::uint32_t> worker_index_;
  std::vector<std::uint32_t> tracks_;
  std::vector<std::size_t> last_bar_;  // of each worker, an index into bars_; kNoBar if none
  std::vector<TimelineBar> bars_;
  std::vector<model::TimelineEvent> events_;
  ProgressCurve progress_;
  std::int64_t range_count_ = 0;
  std::int64_t event_count_ = 0;
  Duration hidden_pause_{};
};

/// The member "timeline" of the data of pages (html_report.h) as JSON text. `digest` is condensed.
[[nodiscard]] std::string TimelineData(const TimelineDigest& digest);

}  // namespace evenkeel::report
