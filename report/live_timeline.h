#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/model/run_record.h"
#include "report/lane_cells.h"
#include "report/progress_curve.h"

namespace evenkeel::report {

/// The timeline of a run in progress, for pages that poll and receive what changed since their last
/// request. Memory is bounded, see LaneCells. Not thread-safe.
class LiveTimeline {
 public:
  /// Maximum number of predictions, and of other events. Beyond it, every second prediction is
  /// removed, or the oldest other event.
  static constexpr std::size_t kMostEvents = 256;

  /// The lane of a node; assigns the next one to a new node.
  [[nodiscard]] std::size_t LaneOf(const std::string& node);
  [[nodiscard]] std::size_t Lanes() const { return threads_.size(); }
  /// Sets the number of threads; 0: unknown. The default is one thread.
  void SetThreads(std::size_t lane, std::uint32_t threads);

  void Add(const model::ResultRecord& record);
  void Add(const model::TimelineEvent& event);

  /// Starts a new version and returns the mark of the version before.
  [[nodiscard]] Mark Advance() { return mark_++; }
  /// The mark of the current version.
  [[nodiscard]] Mark Now() const { return mark_; }
  /// As LaneCells::Generation.
  [[nodiscard]] std::uint32_t Generation() const { return cells_.Generation(); }

  /// A JSON object with what changed after `since`:
  ///
  ///   {"step": s, "lanes": [as LaneCells::Append], "events": [as in timeline.jsonl],
  ///    "progress": {"step": s, "tasks": [n]}}
  [[nodiscard]] std::string Json(Mark since) const;

 private:
  struct Line {
    Mark mark;
    std::string text;
  };
  static void AppendNew(const std::deque<Line>& lines, Mark since, std::string& out);

  Mark mark_ = 1;
  std::map<std::string, std::size_t> lane_of_;
  std::vector<std::uint32_t> threads_;
  LaneCells cells_;
  ProgressCurve progress_;
  std::deque<Line> predictions_;
  std::deque<Line> events_;
};

}  // namespace evenkeel::report
