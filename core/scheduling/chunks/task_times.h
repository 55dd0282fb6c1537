#pragma once

#include <cstdint>

namespace evenkeel::scheduling {

/// Mean and spread of the time of one task, from reports of several tasks each. A report's mean
/// over n tasks x has a variance of 1/n of one task's, so n (x - mean)^2, averaged over the
/// reports, estimates that of one task. Not thread-safe.
class TaskTimes {
 public:
  /// `tasks` > 0 took `seconds` together.
  void Observe(std::int64_t tasks, double seconds) {
    const auto count = static_cast<double>(tasks);
    const double x = seconds / count;
    const double before = x - mean_;
    tasks_ += count;
    mean_ += before * count / tasks_;
    squares_ += count * before * (x - mean_);
    ++reports_;
  }

  [[nodiscard]] bool Any() const { return reports_ > 0; }
  /// Whether a spread can be told at all.
  [[nodiscard]] bool Several() const { return reports_ > 1; }
  [[nodiscard]] double Tasks() const { return tasks_; }
  /// Seconds; 0 if there was no report.
  [[nodiscard]] double Mean() const { return mean_; }
  /// Seconds squared; 0 if there were not Several().
  [[nodiscard]] double Variance() const {
    return Several() ? squares_ / static_cast<double>(reports_ - 1) : 0;
  }

 private:
  double tasks_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  std::int64_t reports_ = 0;
};

}  // namespace evenkeel::scheduling
