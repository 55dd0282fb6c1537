#include "core/engine/delivery_watch.h"

#include "tests/unit/engine/engine_parts.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;

/// Reports leases to the watch as the strategy driver does. The round trip is 1 ms.
class DeliveryWatchTest : public EngineParts {
 protected:
  static constexpr WorkerId kWorker{0};

  void Grant(model::IndexRange tasks) {
    deliveries.NoteGrant(kWorker, tasks, now);
    (void)Lease(tasks, kWorker.value);
  }
  [[nodiscard]] double DeliverySeconds() const {
    return ToSeconds(estimator.DeliveryTime(kWorker));
  }

  DeliveryWatchTest() { Connect(0); }
};

TEST_F(DeliveryWatchTest, TheTimeFromGrantToStartIsThatOfADelivery) {
  Grant({0, 1});
  deliveries.NoteSent();
  EXPECT_NEAR(DeliverySeconds(), 0.001, 1e-9) << "nothing measured";
  deliveries.NoteStart(kWorker, {0, 1}, now + milliseconds(51));
  EXPECT_NEAR(DeliverySeconds(), 0.051, 1e-9);
  EXPECT_NEAR(estimator.TransferSeconds(kWorker), 0.05, 1e-9);
}

TEST_F(DeliveryWatchTest, TasksOfOneMessageShareItsTime) {
  Grant({0, 1});
  Grant({1, 5});
  deliveries.NoteSent();
  deliveries.NoteStart(kWorker, {0, 1}, now + milliseconds(51));
  EXPECT_NEAR(estimator.TransferSeconds(kWorker), 0.01, 1e-9);
}

TEST_F(DeliveryWatchTest, ATaskThatWaitsForAThreadMeasuresNothing) {
  Grant({0, 1});
  deliveries.NoteSent();
  deliveries.NoteStart(kWorker, {0, 1}, now + milliseconds(1));
  Grant({1, 2});  // the only thread is busy with the first
  deliveries.NoteSent();
  deliveries.NoteStart(kWorker, {1, 2}, now + milliseconds(900));
  EXPECT_NEAR(DeliverySeconds(), 0.001, 1e-9);
}

TEST_F(DeliveryWatchTest, AStartOfAnotherTaskMeasuresNothing) {
  Grant({0, 1});
  deliveries.NoteSent();
  deliveries.NoteStart(kWorker, {3, 4}, now + milliseconds(900));
  EXPECT_NEAR(DeliverySeconds(), 0.001, 1e-9);
}

TEST_F(DeliveryWatchTest, AClockThatIsBehindMeasuresNoNegativeTime) {
  Grant({0, 1});
  deliveries.NoteSent();
  deliveries.NoteStart(kWorker, {0, 1}, now - milliseconds(900));
  EXPECT_NEAR(DeliverySeconds(), 0.001, 1e-9);
}

TEST_F(DeliveryWatchTest, ThroughputCountsFromTheFirstGrant) {
  Grant({0, 1});
  deliveries.NoteSent();
  deliveries.NoteStart(kWorker, {0, 1}, now + milliseconds(501));
  estimator.Observe(kWorker, 1, 1, milliseconds(100));
  deliveries.NoteCompleted(kWorker, 10, now + milliseconds(1000));
  EXPECT_NEAR(estimator.TransferSeconds(kWorker), 0.1, 1e-9) << "ten tasks a second came through";
}

}  // namespace
}  // namespace evenkeel::engine
