#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace evenkeel::report {

/// Completed tasks over time, in bounded memory for runs of any length: bins of equal width, which
/// doubles whenever a task ends after the last bin.
class ProgressCurve {
 public:
  /// Adds tasks that completed evenly between `start` and `end`; times before 0 count as 0.
  void Add(Duration start, Duration end, std::int64_t tasks);

  /// Width of a bin. The run so far spans more than half of all bins, or is shorter than 1 s.
  [[nodiscard]] Duration Step() const { return step_; }

  /// Tasks completed by the end of each bin, up to the last bin in use.
  [[nodiscard]] std::vector<double> Cumulative() const;

 private:
  void MakeRoomFor(Duration end);

  Duration step_ = std::chrono::milliseconds(2);
  std::vector<double> bins_;
};

}  // namespace evenkeel::report
