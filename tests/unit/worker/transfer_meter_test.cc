#include "worker/transfer_meter.h"

#include <gtest/gtest.h>

#include <chrono>

namespace evenkeel::worker {
namespace {

using model::DataTransfer;
using std::chrono::seconds;

class SetClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now; }
  Instant now{};
};

class TransferMeterTest : public ::testing::Test {
 protected:
  SetClock clock_;
  TransferMeter meter_{clock_};
};

TEST_F(TransferMeterTest, TransfersAtTheSameTimeCountTheirTimeOnce) {
  meter_.Begin();
  clock_.now += seconds(2);
  meter_.Begin();
  clock_.now += seconds(3);
  meter_.End(100);
  clock_.now += seconds(4);
  meter_.End(20);
  clock_.now += seconds(50);  // nothing is under way
  EXPECT_EQ(meter_.Take(), (DataTransfer{120, seconds(9)}));
  EXPECT_EQ(meter_.Take(), DataTransfer{});
}

TEST_F(TransferMeterTest, TransfersCountWhenNoneIsUnderWay) {
  meter_.Begin();
  clock_.now += seconds(2);
  meter_.Begin();
  EXPECT_EQ(meter_.Take(), DataTransfer{});
  clock_.now += seconds(1);
  meter_.End(10);
  EXPECT_EQ(meter_.Take(), DataTransfer{}) << "the other one took a part of the time";
  clock_.now += seconds(1);
  meter_.End(10);
  EXPECT_EQ(meter_.Take(), (DataTransfer{20, seconds(4)}));
}

TEST_F(TransferMeterTest, OnABusyLinkTransfersCountAfterSome) {
  meter_.Begin();
  for (int n = 1; n < TransferMeter::kTransfersAtOnce; ++n) {
    meter_.Begin();
    clock_.now += seconds(1);
    meter_.End(10);
    EXPECT_EQ(meter_.Take(), DataTransfer{});
  }
  meter_.Begin();
  clock_.now += seconds(1);
  meter_.End(10);
  EXPECT_EQ(meter_.Take(), (DataTransfer{80, seconds(8)}));
}

TEST_F(TransferMeterTest, AFailedTransferTookTime) {
  meter_.Begin();
  clock_.now += seconds(7);
  meter_.End(0);
  EXPECT_EQ(meter_.Take(), (DataTransfer{0, seconds(7)}));
}

}  // namespace
}  // namespace evenkeel::worker
