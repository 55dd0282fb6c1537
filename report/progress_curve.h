#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace evenkeel::report {

/// How many tasks were done by when, in bounded memory and without knowing how long the run will
/// be: bins of equal width, whose width doubles whenever time runs past the last of them.
class ProgressCurve {
 public:
  /// `tasks` tasks were done evenly between `start` and `end`; times before 0 count as 0.
  void Add(Duration start, Duration end, std::int64_t tasks);

  /// Width of a bin. The run so far spans more than half of all bins, or is shorter than 1 s.
  [[nodiscard]] Duration Step() const { return step_; }

  /// Tasks done by the end of each bin up to the last one used; the bins are Step() wide.
  [[nodiscard]] std::vector<double> Cumulative() const;

 private:
  void MakeRoomFor(Duration end);

  Duration step_ = std::chrono::milliseconds(2);
  std::vector<double> bins_;
};

}  // namespace evenkeel::report
