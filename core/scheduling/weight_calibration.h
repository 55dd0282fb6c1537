#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evenkeel::scheduling {

/// The relation of declared weights and rates, learned from the workers measured so far: the line
/// log(rate) = a + b * log(weight), by weighted least squares with a prior for the slope b
/// (Bishop, "Pattern Recognition and Machine Learning", 2006, section 3.3). Right weights have
/// b = 1, which is also the prior; of weights that mean nothing b is 0, of inverse ones -1.
/// Deterministic on all architectures. Not thread-safe. All calls O(1).
class WeightCalibration {
 public:
  /// A prediction of a rate and its relative variance.
  struct Prediction {
    double rate = 1;
    double variance = 0;
  };

  /// The next worker (numbers are dense), with its declared weight > 0 and the relative standard
  /// deviation that weights have before anything is measured.
  void AddWorker(double weight, double sigma);
  /// The worker was measured: its rate > 0, and how much the measurement counts (0 to 1).
  void Set(std::size_t worker, double rate, double confidence);
  [[nodiscard]] bool Known() const { return confidence_ > 0; }
  /// Number of workers that were measured.
  [[nodiscard]] std::size_t Measured() const { return measured_; }
  /// The rate of a worker by its weight; before anything was measured, the weight itself times
  /// `unit`. To within 1 % of the line: predictions stand until it has moved by more.
  [[nodiscard]] Prediction Predict(std::size_t worker, double unit) const;
  /// Changes with the predictions.
  [[nodiscard]] std::uint64_t Version() const { return version_; }

 private:
  struct Worker {
    double x = 0;  // log of the weight
    double sigma = 0.5;
    double y = 0;  // log of the rate
    double confidence = 0;
    double rate = 0;            // as predicted last
    std::uint64_t version = 0;  // of that prediction
  };
  void Add(const Worker& worker, double sign);
  void Fit();

  mutable std::vector<Worker> workers_;  // Predict keeps what it has computed
  std::uint64_t version_ = 1;
  std::size_t measured_ = 0;
  double confidence_ = 0;  // sums over the measured workers, each by its confidence
  double sum_x_ = 0;
  double sum_y_ = 0;
  double sum_xx_ = 0;
  double sum_xy_ = 0;
  double sum_yy_ = 0;
  double sum_variance_ = 0;  // of the weights before anything was measured
  double slope_ = 1;
  double intercept_ = 0;
  double variance_ratio_ = 1;  // of the weights as found to as declared
};

}  // namespace evenkeel::scheduling
