#pragma once

namespace evenkeel::scheduling {

/// Weighted means of pairs (x, y), value by value (Welford's update). Not thread-safe.
class RunningMeans {
 public:
  /// Increments of the sums of squares and products around the means.
  struct Added {
    double xx = 0;
    double xy = 0;
    double yy = 0;
  };
  /// `weight` > 0: so many pairs with these means.
  Added Add(double x, double y, double weight) {
    const double before = weight_;
    weight_ += weight;
    const double dx = x - x_;
    const double dy = y - y_;
    x_ += dx * weight / weight_;
    y_ += dy * weight / weight_;
    const double part = weight * before / weight_;
    return {part * dx * dx, part * dx * dy, part * dy * dy};
  }

  [[nodiscard]] bool Empty() const { return weight_ <= 0; }
  [[nodiscard]] double X() const { return x_; }
  [[nodiscard]] double Y() const { return y_; }

 private:
  double weight_ = 0;
  double x_ = 0;
  double y_ = 0;
};

}  // namespace evenkeel::scheduling
