#include "simulator/virtual_time.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evenkeel::simulator {
namespace {

using std::chrono::seconds;

Instant At(int second) { return Instant{seconds(second)}; }

TEST(VirtualTime, RunsEventsByTimeAndThenByOrder) {
  VirtualTime time;
  std::string ran;
  time.At(At(2), [&] { ran += 'c'; });
  time.At(At(1), [&] { ran += 'a'; });
  time.At(At(1), [&] { ran += 'b'; });
  time.Run(At(10));
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(time.Now(), At(2));
}

TEST(VirtualTime, AnEventInThePastRunsNow) {
  VirtualTime time;
  Instant ran = kNever;
  time.At(At(5), [&] { time.At(At(1), [&] { ran = time.Now(); }); });
  time.Run(At(10));
  EXPECT_EQ(ran, At(5));
}

TEST(VirtualTime, EventsAfterTheLimitAndAtNeverDoNotRun) {
  VirtualTime time;
  int ran = 0;
  time.At(At(3), [&] { ++ran; });
  time.At(At(4), [&] { ++ran; });
  time.At(kNever, [&] { ++ran; });
  time.Run(At(3));
  EXPECT_EQ(ran, 1);
}

TEST(VirtualTime, StoppingNowSkipsEventsOfTheSameInstant) {
  VirtualTime time;
  int ran = 0;
  time.At(At(1), [&] {
    ++ran;
    time.StopAt(time.Now());
  });
  time.At(At(1), [&] { ++ran; });
  time.Run(At(10));
  EXPECT_EQ(ran, 1);
}

TEST(VirtualTime, AfterDoesNotOverflow) {
  VirtualTime time;
  Instant later{};
  Instant never{};
  time.At(At(1), [&] {
    later = time.After(seconds(2));
    never = time.After(Duration::max());
  });
  time.Run(At(10));
  EXPECT_EQ(later, At(3));
  EXPECT_EQ(never, kNever);
}

class Target final : public EventTarget {
 public:
  void OnEvent(const Event& event) override { details.push_back(event.detail); }
  std::vector<std::uint64_t> details;
};

TEST(VirtualTime, AnEventGoesToItsTarget) {
  VirtualTime time;
  Target one;
  Target other;
  Event event;
  event.target = &one;
  event.detail = 7;
  time.At(At(1), event);
  event.target = &other;
  event.detail = 8;
  time.At(At(1), event, EventQueue::Lane::kMessages);
  time.Run(At(10));
  EXPECT_EQ(one.details, std::vector<std::uint64_t>{7});
  EXPECT_EQ(other.details, std::vector<std::uint64_t>{8});
}

}  // namespace
}  // namespace evenkeel::simulator
