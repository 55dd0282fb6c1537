#include "core/scheduling/weight_calibration.h"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

// The prior of the slope counts as much as workers whose weights differ so much: the sum of
// (log(weight) - mean)^2 over them.
constexpr double kSlopePrior = 1;
// The declared variance counts as much as this number of workers.
constexpr double kVariancePrior = 2;
// Predictions are computed anew when the logarithm of a rate has moved by about so much.
constexpr double kTolerance = 0.01;
constexpr double kLeastConfidence = 1e-9;

}  // namespace

void WeightCalibration::AddWorker(double weight, double sigma) {
  Worker worker;
  worker.x = PortableLog(weight);
  worker.sigma = sigma;
  workers_.push_back(worker);
}

void WeightCalibration::Set(std::size_t worker, double rate, double confidence) {
  Worker& state = workers_[worker];
  if (state.confidence <= 0) ++measured_;
  Add(state, -1);
  state.y = PortableLog(rate);
  state.confidence = confidence;
  Add(state, 1);
  Fit();
}

void WeightCalibration::Add(const Worker& worker, double sign) {
  const double part = sign * worker.confidence;
  confidence_ += part;
  sum_x_ += part * worker.x;
  sum_y_ += part * worker.y;
  sum_xx_ += part * worker.x * worker.x;
  sum_xy_ += part * worker.x * worker.y;
  sum_yy_ += part * worker.y * worker.y;
  sum_variance_ += part * worker.sigma * worker.sigma;
}

void WeightCalibration::Fit() {
  if (confidence_ <= kLeastConfidence) return;
  const double mean_x = sum_x_ / confidence_;
  const double mean_y = sum_y_ / confidence_;
  const double xx = std::max(sum_xx_ - confidence_ * mean_x * mean_x, 0.0);
  const double xy = sum_xy_ - confidence_ * mean_x * mean_y;
  const double yy = std::max(sum_yy_ - confidence_ * mean_y * mean_y, 0.0);
  const double slope = (kSlopePrior + xy) / (kSlopePrior + xx);
  const double intercept = mean_y - slope * mean_x;
  const double residual = std::max(yy - 2 * slope * xy + slope * slope * xx, 0.0);
  const double declared = sum_variance_ / confidence_;
  const double variance_ratio =
      (kVariancePrior + residual / declared) / (kVariancePrior + std::max(confidence_ - 1, 0.0));
  const bool stands = std::fabs(slope - slope_) < kTolerance &&
                      std::fabs(intercept - intercept_) < kTolerance &&
                      std::fabs(variance_ratio / variance_ratio_ - 1) < kTolerance;
  if (stands && version_ > 1) return;
  slope_ = slope;
  intercept_ = intercept;
  variance_ratio_ = variance_ratio;
  ++version_;
}

WeightCalibration::Prediction WeightCalibration::Predict(std::size_t worker, double unit) const {
  Worker& state = workers_[worker];
  const double declared = state.sigma * state.sigma;
  if (!Known()) return {unit * PortableExp(state.x), declared};
  if (state.version != version_) {
    state.rate = PortableExp(intercept_ + slope_ * state.x);
    state.version = version_;
  }
  return {state.rate, declared * variance_ratio_};
}

}  // namespace evenkeel::scheduling
