#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/run_record.h"
#include "report/progress_curve.h"

namespace evenkeel::report {

/// A version number: increases with every change that readers must receive; 0 is before all
/// changes.
using Mark = std::uint32_t;

/// Utilization of the nodes over time. Memory depends on neither the number of tasks nor the length
/// of the run: one lane per node, divided into cells of equal width, which doubles whenever a range
/// ends after the last cell. Ranges may arrive in any order. Not thread-safe.
class LaneCells {
 public:
  static constexpr std::size_t kMostCells = 768;
  static constexpr std::size_t kFewestCells = 96;
  /// Cells of all lanes together, unless a lane would have fewer than kFewestCells.
  static constexpr std::size_t kCells = 98'304;

  /// Adds lanes until there are `lanes` of them.
  void MakeLanes(std::size_t lanes);

  /// `record` ran on `lane`; times before 0 count as 0.
  void Add(std::size_t lane, const model::ResultRecord& record, Mark mark);

  /// Marks all cells of the lane as changed, e.g. after its number of threads became known.
  void Touch(std::size_t lane, Mark mark);

  /// Writes `[lane,first,"cells"],` for the cells from the first one that changed after `since`;
  /// nothing if none did. A cell is two base64url digits, 12 bits: four bits each for the fraction
  /// of the node's time, in fifteenths, inside planned tasks, stolen tasks and speculative copies.
  void Append(std::size_t lane, Mark since, std::uint32_t threads, std::string& out) const;

  [[nodiscard]] std::size_t Lanes() const { return lanes_.size(); }
  /// Width of a cell.
  [[nodiscard]] Duration Step() const { return step_; }
  /// Changes when the width of cells changes, which invalidates the cells of all readers.
  [[nodiscard]] std::uint32_t Generation() const { return generation_; }

 private:
  struct Cell {
    std::array<float, 3> busy{};  // seconds, by model::RunKind
    Mark changed = 0;
  };

  void MakeRoomFor(Duration end);
  void DoubleStep();

  Duration step_ = std::chrono::milliseconds(2);
  std::size_t most_cells_ = kMostCells;
  std::uint32_t generation_ = 0;
  std::vector<std::vector<Cell>> lanes_;
};

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
