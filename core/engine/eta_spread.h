#pragma once

#include <cmath>

namespace evenkeel::engine {

/// Variance of the predictions of a job's end, relative to the time left: rates change in ways that
/// their own variance does not show (throttling, other load). An exponentially weighted mean over
/// about sixteen predictions. A prediction that is off by more than the time left makes those
/// before it worthless: it counts as off by that time, and the mean starts anew. Not thread-safe.
class EtaSpread {
 public:
  /// The end was predicted at `end_seconds` on the job's time line, `left_seconds` > 0 from then.
  void Note(double end_seconds, double left_seconds) {
    if (left_seconds <= 0) return;
    if (!any_) mean_end_ = end_seconds;
    any_ = true;
    double relative = (end_seconds - mean_end_) / left_seconds;
    if (std::abs(relative) > 1) {
      relative = 1;
      mean_end_ = end_seconds;
    }
    mean_end_ += kNewest * (end_seconds - mean_end_);
    variance_ += kNewest * (relative * relative - variance_);
  }
  /// Variance of a prediction, relative to the time left.
  [[nodiscard]] double RelativeVariance() const { return variance_; }

 private:
  static constexpr double kNewest = 1.0 / 16;
  bool any_ = false;
  double mean_end_ = 0;
  double variance_ = 0;
};

}  // namespace evenkeel::engine
