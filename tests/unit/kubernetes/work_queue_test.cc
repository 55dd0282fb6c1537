#include "kubernetes/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkQueueTest : public ::testing::Test {
 protected:
  SteadyClock clock_;
  WorkQueue queue_{clock_, WorkQueueOptions{}, nullptr};
  const ObjectKey a_{"", "a"};
  const ObjectKey b_{"", "b"};
};

TEST_F(WorkQueueTest, AWaitingWorkerIsWokenByAnItem) {
  std::optional<ObjectKey> taken;
  std::jthread worker([&](const std::stop_token& stop) { taken = queue_.Take(stop); });
  queue_.Add(a_);
  worker.join();
  EXPECT_EQ(taken, a_);
}

TEST_F(WorkQueueTest, AnEarlierItemShortensTheWait) {
  queue_.AddAfter(b_, std::chrono::hours(1));
  std::optional<ObjectKey> taken;
  std::jthread worker([&](const std::stop_token& stop) { taken = queue_.Take(stop); });
  queue_.AddAfter(a_, milliseconds(5));
  worker.join();
  EXPECT_EQ(taken, a_);
}

TEST_F(WorkQueueTest, AStopEndsTheWait) {
  std::optional<ObjectKey> taken = a_;
  std::jthread worker([&](const std::stop_token& stop) { taken = queue_.Take(stop); });
  worker.request_stop();
  worker.join();
  EXPECT_EQ(taken, std::nullopt);
}

TEST_F(WorkQueueTest, DrainingWaitsForWhatIsInWork) {
  queue_.Add(a_);
  queue_.Add(b_);
  std::vector<ObjectKey> done;
  std::jthread worker([&](const std::stop_token& stop) {
    while (const auto item = queue_.Take(stop)) {
      done.push_back(*item);
      queue_.Done(*item);
    }
  });
  EXPECT_TRUE(queue_.ShutDownAndDrain(seconds(10)));
  worker.join();
  EXPECT_EQ(done, (std::vector<ObjectKey>{a_, b_}));
}

TEST_F(WorkQueueTest, DrainingHasAnEnd) {
  queue_.Add(a_);
  ASSERT_TRUE(queue_.Take({}));
  EXPECT_FALSE(queue_.ShutDownAndDrain(milliseconds(20)));
  EXPECT_EQ(queue_.Figures().processing, 1u);
}

TEST_F(WorkQueueTest, DroppingEndsTheWorkers) {
  queue_.Add(a_);
  queue_.Drop();
  EXPECT_EQ(queue_.Take({}), std::nullopt);
}

TEST_F(WorkQueueTest, ManyWorkersNeverShareAnItemAndMissNone) {
  constexpr int kItems = 20;
  std::vector<std::atomic<int>> busy(kItems);
  std::vector<std::atomic<int>> seen(kItems);
  std::vector<std::atomic<int>> wanted(kItems);
  std::atomic<bool> shared{false};
  std::vector<std::jthread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&](const std::stop_token& stop) {
      while (const auto item = queue_.Take(stop)) {
        const auto index = static_cast<std::size_t>(std::stoi(item->name));
        if (busy[index]++ > 0) shared = true;
        seen[index] = wanted[index].load();
        --busy[index];
        queue_.Done(*item);
      }
    });
  }
  for (int round = 0; round < 5000; ++round) {
    const auto index = static_cast<std::size_t>(round % kItems);
    ++wanted[index];
    queue_.Add({"", std::to_string(index)});
  }
  EXPECT_TRUE(queue_.ShutDownAndDrain(seconds(20)));
  workers.clear();
  EXPECT_FALSE(shared);
  for (std::size_t i = 0; i < kItems; ++i) EXPECT_EQ(seen[i], wanted[i]) << i;
}

}  // namespace
}  // namespace evenkeel::kube
