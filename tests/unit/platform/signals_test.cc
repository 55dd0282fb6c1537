#include "platform/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <future>

namespace evenkeel::platform {
namespace {

constexpr auto kMaxWait = std::chrono::seconds(30);

TEST(BlockedSignals, WaitingDoesNotTakeASignal) {
  BlockedSignals signals({SIGUSR1, SIGUSR2});
  EXPECT_FALSE(signals.Arrived());
  EXPECT_FALSE(signals.WaitFor(std::chrono::microseconds(1)));
  EXPECT_EQ(signals.Take(), std::nullopt);
  ::kill(::getpid(), SIGUSR2);
  EXPECT_TRUE(signals.WaitFor(kMaxWait));
  EXPECT_TRUE(signals.Arrived());
  EXPECT_EQ(signals.Take(), SIGUSR2);
  EXPECT_FALSE(signals.Arrived());
}

TEST(BlockedSignals, WaitTakesTheSignal) {
  BlockedSignals signals({SIGUSR1});
  ::kill(::getpid(), SIGUSR1);
  EXPECT_EQ(signals.Wait(), SIGUSR1);
  EXPECT_FALSE(signals.Arrived());
}

TEST(BlockedSignals, AnIgnoredSignalArrives) {
  EXPECT_FALSE(IsIgnored(SIGUSR1));
  std::signal(SIGUSR1, SIG_IGN);
  EXPECT_TRUE(IsIgnored(SIGUSR1));
  BlockedSignals signals({SIGUSR1});
  ::kill(::getpid(), SIGUSR1);
  EXPECT_EQ(signals.Take(), SIGUSR1);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(SignalThread, CallsTheHandlerUntilItsEnd) {
  BlockedSignals signals({SIGUSR1});
  std::promise<int> received;
  {
    const SignalThread thread(signals, {[&](int signal) { received.set_value(signal); }});
    ::kill(::getpid(), SIGUSR1);
    auto signal = received.get_future();
    ASSERT_EQ(signal.wait_for(kMaxWait), std::future_status::ready);
    EXPECT_EQ(signal.get(), SIGUSR1);
  }
  ::kill(::getpid(), SIGUSR1);  // a second call of the handler would throw
  EXPECT_EQ(signals.Take(), SIGUSR1);
}

TEST(SignalThread, TicksWithoutSignals) {
  BlockedSignals signals({SIGUSR1});
  std::promise<void> third_tick;
  int ticks = 0;
  const auto on_tick = [&] {
    if (++ticks == 3) third_tick.set_value();
  };
  const SignalThread thread(signals,
                            {[](int) { ADD_FAILURE() << "there was no signal"; }, on_tick});
  EXPECT_EQ(third_tick.get_future().wait_for(kMaxWait), std::future_status::ready);
}

}  // namespace
}  // namespace evenkeel::platform
