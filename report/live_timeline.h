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

/// The timeline of a run that goes on, for a page that asks again and again and is told what is
/// new to it. Memory is bounded, see LaneCells. Not thread-safe.
class LiveTimeline {
 public:
  /// Predictions and other events that are kept; of the former every second one goes when there are
  /// more, of the latter the oldest.
  static constexpr std::size_t kMostEvents = 256;

  /// The lane of a node, which is its number from then on.
  [[nodiscard]] std::size_t LaneOf(const std::string& node);
  [[nodiscard]] std::size_t Lanes() const { return threads_.size(); }
  /// Until then a node is taken to have one thread. 0: not known.
  void SetThreads(std::size_t lane, std::uint32_t threads);

  void Add(const model::ResultRecord& record);
  void Add(const model::TimelineEvent& event);

  /// What is written next is newer than what was before; the mark of what there is up to now.
  [[nodiscard]] Mark Advance() { return mark_++; }
  /// What changes now has this mark.
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
