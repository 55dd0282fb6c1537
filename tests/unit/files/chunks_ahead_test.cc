#include "files/chunks_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <semaphore>
#include <thread>
#include <vector>

namespace evenkeel::files {
namespace {

constexpr auto kLongEnough = std::chrono::seconds(30);
constexpr std::size_t kBound = ChunksAhead::kChunksAhead;

TEST(ChunksAheadTest, ObtainsTheNextOnesAndNeverMoreThanTheBound) {
  constexpr std::size_t kCount = 8;
  std::atomic<std::size_t> front = 0;
  std::atomic<bool> too_far = false;
  std::counting_semaphore<> obtained(0);
  ChunksAhead ahead(kCount, [&](std::size_t place) {
    if (place > front + kBound) too_far = true;
    obtained.release();
    return true;
  });
  EXPECT_FALSE(ahead.Take(0, {})) << "the caller obtains the first one itself";
  std::size_t until = 0;
  for (std::size_t place = 1; place < kCount; ++place) {
    while (until < std::min(place - 1 + kBound, kCount - 1)) {
      ASSERT_TRUE(obtained.try_acquire_for(kLongEnough));
      ++until;
    }
    front = place;
    EXPECT_TRUE(ahead.Take(place, {}));
  }
  EXPECT_FALSE(too_far);
}

TEST(ChunksAheadTest, ACallerThatWaitsObtainsLaterOnes) {
  std::promise<void> first_begun;
  std::promise<void> second_obtained;
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> by_caller = false;
  ChunksAhead ahead(3, [&](std::size_t place) {
    if (place == 1) {
      first_begun.set_value();
      if (second_obtained.get_future().wait_for(kLongEnough) != std::future_status::ready) {
        return false;
      }
    } else {
      by_caller = std::this_thread::get_id() == caller;
      second_obtained.set_value();
    }
    return true;
  });
  EXPECT_FALSE(ahead.Take(0, {}));
  first_begun.get_future().wait();
  EXPECT_TRUE(ahead.Take(1, {}));
  EXPECT_TRUE(by_caller);
  EXPECT_TRUE(ahead.Take(2, {}));
}

TEST(ChunksAheadTest, LeavesToTheCallerWhatCouldNotBeObtained) {
  std::counting_semaphore<> tried(0);
  ChunksAhead ahead(3, [&](std::size_t place) {
    tried.release();
    return place != 1;
  });
  EXPECT_FALSE(ahead.Take(0, {}));
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(tried.try_acquire_for(kLongEnough));
  EXPECT_FALSE(ahead.Take(1, {}));
  EXPECT_TRUE(ahead.Take(2, {}));
}

TEST(ChunksAheadTest, ACallerThatWaitsReturnsWhenItIsStopped) {
  std::promise<void> begun;
  std::promise<void> may_end;
  ChunksAhead ahead(2, [&](std::size_t) {
    begun.set_value();
    may_end.get_future().wait();
    return true;
  });
  std::stop_source stop;
  EXPECT_FALSE(ahead.Take(0, stop.get_token()));
  begun.get_future().wait();
  auto taken = std::async(std::launch::async, [&] { return ahead.Take(1, stop.get_token()); });
  stop.request_stop();
  EXPECT_EQ(taken.wait_for(kLongEnough), std::future_status::ready);
  may_end.set_value();
  EXPECT_FALSE(taken.get());
}

TEST(ChunksAheadTest, EndsBeforeAndAfterTheBoundIsReached) {
  std::atomic<int> obtained = 0;
  const auto obtain = [&](std::size_t) {
    ++obtained;
    return true;
  };
  { const ChunksAhead unused(9, obtain); }
  EXPECT_EQ(obtained, 0);
  {
    std::counting_semaphore<> counted(0);
    ChunksAhead ahead(9, [&](std::size_t place) {
      counted.release();
      return obtain(place);
    });
    EXPECT_FALSE(ahead.Take(0, {}));
    for (std::size_t n = 0; n < kBound; ++n) ASSERT_TRUE(counted.try_acquire_for(kLongEnough));
  }
  EXPECT_EQ(obtained, static_cast<int>(kBound));
}

}  // namespace
}  // namespace evenkeel::files
