#include "coordinator/loop_inbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace evenkeel::coordinator {
namespace {

LoopEvent Heartbeat(std::uint64_t stream) {
  return MessageReceived{StreamId{stream}, engine::Report{}};
}

LoopEvent Results(std::uint64_t stream, std::size_t bytes = 10) {
  engine::CompletedRange done;
  done.range = {0, 1};
  done.results.Append(std::string(bytes, 'r'));
  return MessageReceived{StreamId{stream}, engine::Report{{done}, {}}};
}

LoopEvent Goodbye(std::uint64_t stream) {
  return MessageReceived{StreamId{stream}, engine::Goodbye{}};
}

/// "heartbeat 1", "results 2", "goodbye 1", "closed 1", "heard 1", "interrupt", or "nothing".
std::string Describe(const std::optional<LoopEvent>& event) {
  if (!event) return "nothing";
  if (const auto* closed = std::get_if<StreamClosed>(&*event)) {
    return "closed " + std::to_string(closed->stream.value);
  }
  if (const auto* heard = std::get_if<StreamHeard>(&*event)) {
    return "heard " + std::to_string(heard->stream.value);
  }
  const auto* received = std::get_if<MessageReceived>(&*event);
  if (received == nullptr) return "interrupt";
  const std::string stream = " " + std::to_string(received->stream.value);
  if (std::holds_alternative<engine::Goodbye>(received->message)) return "goodbye" + stream;
  return (CarriesResults(received->message) ? "results" : "heartbeat") + stream;
}

TEST(LoopInbox, KeepsTheOrderWhileNothingIsHeldBack) {
  LoopInbox inbox;
  inbox.Post(Results(1));
  inbox.Post(Heartbeat(1));
  inbox.Post(InterruptRequested{"stop"});
  inbox.Post(StreamClosed{StreamId{1}});
  EXPECT_EQ(inbox.Size(), 4U);
  EXPECT_EQ(Describe(inbox.Take()), "results 1");
  EXPECT_EQ(Describe(inbox.Take()), "heartbeat 1");
  EXPECT_EQ(Describe(inbox.Take()), "interrupt");
  EXPECT_EQ(Describe(inbox.Take()), "closed 1");
  EXPECT_EQ(Describe(inbox.Take()), "nothing");
}

TEST(LoopInbox, OnlyHeartbeatsOvertakeHeldResultsOfTheirStream) {
  LoopInbox inbox;
  inbox.HoldResults(true);
  inbox.Post(Results(1));
  inbox.Post(Goodbye(1));
  inbox.Post(StreamClosed{StreamId{1}});
  inbox.Post(Heartbeat(1));
  inbox.Post(Goodbye(2));
  inbox.Post(InterruptRequested{"stop"});
  EXPECT_EQ(Describe(inbox.Take()), "heard 1") << "results";
  EXPECT_EQ(Describe(inbox.Take()), "heard 1") << "goodbye";
  EXPECT_EQ(Describe(inbox.Take()), "heartbeat 1");
  EXPECT_EQ(Describe(inbox.Take()), "goodbye 2");
  EXPECT_EQ(Describe(inbox.Take()), "interrupt");
  EXPECT_EQ(Describe(inbox.Take()), "nothing");
  EXPECT_EQ(inbox.Size(), 0U);
  inbox.Post(Heartbeat(3));
  inbox.HoldResults(false);
  EXPECT_EQ(inbox.Size(), 4U);
  EXPECT_EQ(Describe(inbox.Take()), "results 1");
  EXPECT_EQ(Describe(inbox.Take()), "goodbye 1");
  EXPECT_EQ(Describe(inbox.Take()), "closed 1");
  EXPECT_EQ(Describe(inbox.Take()), "heartbeat 3");
}

TEST(LoopInbox, AStreamThatFillsItWithResultsIsNotReadUntilHalfIsTaken) {
  LoopInbox inbox({100, 2000});
  inbox.Post(Results(1, 950));
  EXPECT_TRUE(inbox.MayReadOn(StreamId{1}));
  inbox.Post(Results(2, 950));
  EXPECT_FALSE(inbox.MayReadOn(StreamId{2}));
  EXPECT_TRUE(inbox.HasUnreadStreams());
  inbox.Post(Heartbeat(3));
  EXPECT_TRUE(inbox.MayReadOn(StreamId{3})) << "it has sent no results";
  EXPECT_TRUE(inbox.TakeReadable().empty());
  EXPECT_EQ(Describe(inbox.Take()), "results 1");
  EXPECT_TRUE(inbox.TakeReadable().empty());
  EXPECT_EQ(Describe(inbox.Take()), "results 2");
  EXPECT_EQ(inbox.TakeReadable(), std::vector<StreamId>{StreamId{2}});
  EXPECT_TRUE(inbox.TakeReadable().empty()) << "each is returned once";
  EXPECT_FALSE(inbox.HasUnreadStreams());
}

TEST(LoopInbox, EveryStreamIsHeldUpByTooManyEvents) {
  LoopInbox inbox({2, 1000});
  inbox.Post(Heartbeat(1));
  EXPECT_TRUE(inbox.MayReadOn(StreamId{1}));
  inbox.Post(Heartbeat(2));
  EXPECT_FALSE(inbox.MayReadOn(StreamId{2}));
  EXPECT_EQ(Describe(inbox.Take()), "heartbeat 1");
  EXPECT_EQ(inbox.TakeReadable(), std::vector<StreamId>{StreamId{2}});
}

TEST(LoopInbox, NothingComesInAfterClose) {
  LoopInbox inbox({1, 1});
  inbox.Close();
  inbox.Post(Results(1));
  EXPECT_TRUE(inbox.MayReadOn(StreamId{1}));
  EXPECT_EQ(Describe(inbox.Take()), "nothing");
}

TEST(LoopInbox, WakesTheWaitingThread) {
  const SteadyClock clock;
  LoopInbox inbox;
  std::thread poster([&inbox] { inbox.Post(InterruptRequested{"stop"}); });
  inbox.WaitUntil(kNever, clock);
  poster.join();
  EXPECT_EQ(Describe(inbox.Take()), "interrupt");
  inbox.WaitUntil(clock.Now(), clock);
}

}  // namespace
}  // namespace evenkeel::coordinator
