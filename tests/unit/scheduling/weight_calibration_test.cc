#include "core/scheduling/weight_calibration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace evenkeel::scheduling {
namespace {

class WeightCalibrationTest : public testing::Test {
 protected:
  WeightCalibrationTest() {
    for (const double weight : {1.0, 2.0, 4.0, 8.0, 16.0}) calibration.AddWorker(weight, 0.5);
  }
  /// Measures the first four workers.
  void Measure(double (*rate)(double weight)) {
    for (std::size_t i = 0; i < 4; ++i) calibration.Set(i, rate(std::exp2(i)), 1);
  }
  double Predicted() const { return calibration.Predict(4, 1).rate; }  // of weight 16
  double Sigma() const { return std::sqrt(calibration.Predict(4, 1).variance); }

  WeightCalibration calibration;
};

TEST_F(WeightCalibrationTest, BeforeAnyMeasurementWeightsAreTaken) {
  EXPECT_FALSE(calibration.Known());
  EXPECT_NEAR(calibration.Predict(4, 3).rate, 48, 1e-9);
  EXPECT_NEAR(Sigma(), 0.5, 1e-12);
}

TEST_F(WeightCalibrationTest, OneMeasurementScalesAllWeights) {
  calibration.Set(0, 20, 1);
  EXPECT_NEAR(Predicted(), 320, 1e-6);
  EXPECT_NEAR(Sigma(), 0.5, 1e-9);
}

TEST_F(WeightCalibrationTest, RightWeightsBecomeSurer) {
  Measure([](double weight) { return 20 * weight; });
  EXPECT_NEAR(Predicted(), 320, 1e-6);
  EXPECT_LT(Sigma(), 0.4);
}

TEST_F(WeightCalibrationTest, OfWeightsThatMeanNothingTheMeanIsTaken) {
  Measure([](double) { return 5.0; });
  EXPECT_NEAR(Predicted(), 5, 4);
}

TEST_F(WeightCalibrationTest, InverseWeightsAreTurnedRound) {
  Measure([](double weight) { return 20 / weight; });
  EXPECT_LT(Predicted(), 4) << "1.25 if the slope was sure";
}

TEST_F(WeightCalibrationTest, WorseMeasurementsCountLess) {
  calibration.Set(0, 20, 1);
  calibration.Set(1, 400, 0.01);
  EXPECT_NEAR(Predicted() / 16, 20, 3);
}

TEST_F(WeightCalibrationTest, TheNewestMeasurementOfAWorkerCounts) {
  calibration.Set(0, 1000, 1);
  calibration.Set(0, 20, 1);
  EXPECT_NEAR(Predicted(), 320, 1e-6);
}

}  // namespace
}  // namespace evenkeel::scheduling
