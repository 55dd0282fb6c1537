#include "simulator/network.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/trace_recorder.h"

namespace evenkeel::simulator {
namespace {

using engine::StreamId;
using std::chrono::milliseconds;

SimulationConfig TwoNodes() {
  SimulationConfig config;
  config.network.latency = milliseconds(10);
  config.nodes.resize(2);
  config.nodes[0].name = "a";
  config.nodes[1].name = "b";
  return config;
}

/// Two nodes; what arrives is written down with its time in milliseconds.
class NetworkTest : public testing::Test, private StreamEndpoints {
 protected:
  explicit NetworkTest(SimulationConfig config = TwoNodes())
      : context(std::move(config)),
        processor(context.config.coordinator, context.rng),
        network(context, processor, *this) {
    network.Listen();
  }

  void At(int millisecond, VirtualTime::Action action) {
    context.time.At(Instant{milliseconds(millisecond)}, std::move(action));
  }
  std::vector<std::string> RunToEnd() {
    context.time.Run(Instant{std::chrono::hours(1)});
    return arrived;
  }

  SimulationContext context;
  CoordinatorProcessor processor;
  Network network;
  std::vector<std::string> arrived;

 private:
  void Note(const std::string& what) {
    const Duration now = context.time.Now() - Instant{};
    arrived.push_back(std::to_string(now / milliseconds(1)) + " " + what);
  }
  void OnMessage(StreamId, engine::ToCoordinator message) override { Note(Describe(message)); }
  void OnMessage(std::size_t, engine::ToWorker message) override { Note(Describe(message)); }
  void OnClosedByWorker(StreamId) override { Note("closed by worker"); }
  void OnClosedByCoordinator(std::size_t node) override {
    Note("closed by coordinator");
    network.CloseWorkerEnd(node, Duration::zero());
  }
};

using Lines = std::vector<std::string>;

TEST_F(NetworkTest, AMessageTakesTheLatency) {
  network.Open(0);
  network.Send(0, engine::Goodbye{});
  At(5, [this] { network.Send(*network.StreamOf(0), engine::Finish{"done"}); });
  EXPECT_EQ(RunToEnd(), (Lines{"10 goodbye", "15 finish done"}));
  EXPECT_EQ(network.messages_sent(), 2);
}

TEST_F(NetworkTest, MessagesBeforeTheEndOfAStreamArrive) {
  network.Open(0);
  network.Send(0, engine::Goodbye{});
  network.CloseWorkerEndAfterSending(0);
  EXPECT_FALSE(network.StreamOf(0));
  EXPECT_EQ(RunToEnd(), (Lines{"10 goodbye", "10 closed by worker"}));
}

TEST_F(NetworkTest, ACutLinkLosesWhatIsUnderWay) {
  network.Open(0);
  network.Send(0, engine::Goodbye{});
  At(5, [this] {
    network.LoseMessagesFrom(0);
    network.CloseWorkerEnd(0, milliseconds(100));
  });
  EXPECT_EQ(RunToEnd(), (Lines{"105 closed by worker"}));
}

TEST_F(NetworkTest, MessagesForAClosedEndAreDropped) {
  network.Open(0);
  const StreamId stream = *network.StreamOf(0);
  network.Send(stream, engine::Finish{"lost"});
  network.CloseWorkerEnd(0, Duration::zero());
  network.Open(0);
  At(1, [this, stream] { network.Send(stream, engine::Finish{"lost, too"}); });
  EXPECT_EQ(RunToEnd(), (Lines{"0 closed by worker"}));
  EXPECT_NE(network.StreamOf(0), stream);
}

TEST_F(NetworkTest, TheCoordinatorClosesAStream) {
  network.Open(1);
  network.CloseCoordinatorEnd(*network.StreamOf(1));
  EXPECT_EQ(RunToEnd(), (Lines{"10 closed by coordinator", "10 closed by worker"}));
}

TEST_F(NetworkTest, AllStreamsCloseWhenTheCoordinatorStopsListening) {
  network.Open(0);
  network.Open(1);
  const StreamId stream = *network.StreamOf(1);
  network.StopListening();
  EXPECT_FALSE(network.listening());
  EXPECT_FALSE(network.NodeOf(stream));
  EXPECT_EQ(RunToEnd(), (Lines{"0 closed by coordinator", "0 closed by coordinator"}));
}

TEST_F(NetworkTest, ItKnowsWhenAMessageWasLastReceived) {
  network.Open(0);
  network.Send(0, engine::Goodbye{});
  EXPECT_FALSE(network.LastReceived(0)) << "it is still under way";
  RunToEnd();
  EXPECT_EQ(network.LastReceived(0), Instant{milliseconds(10)});
  EXPECT_FALSE(network.LastReceived(1)) << "not connected";
}

engine::Assign AssignOf(std::int64_t tasks) {
  engine::Grant grant;
  grant.id = engine::GrantId{1};
  grant.range = {0, tasks};
  return {{grant}};
}

SimulationConfig SlowLinks() {
  SimulationConfig config = TwoNodes();
  config.input_bytes = 1000;
  for (auto& node : config.nodes) node.link_bytes_per_second = 10'000;
  return config;
}

class SlowLinkTest : public NetworkTest {
 protected:
  SlowLinkTest() : NetworkTest(SlowLinks()) {
    network.Open(0);
    network.Open(1);
  }
};

// 5000 bytes at 10,000 bytes a second, then the latency.
TEST_F(SlowLinkTest, DataTakeTimeOnTheLinkOfTheirNodeOnly) {
  network.Send(*network.StreamOf(0), AssignOf(5));
  network.Send(*network.StreamOf(0), AssignOf(1));
  network.Send(*network.StreamOf(1), AssignOf(5));
  EXPECT_EQ(RunToEnd(), (Lines{"510 assign [0,5)#1", "510 assign [0,5)#1", "610 assign [0,1)#1"}));
}

TEST_F(SlowLinkTest, ABlockComesFromTheCoordinatorOrFromAWorker) {
  const Instant first = network.BlockFromCoordinator(0, 10'000);
  EXPECT_EQ(first, Instant{milliseconds(10 + 1000 + 10)});
  // The worker's link is free, but the block is there only at `first`.
  EXPECT_EQ(network.BlockFromWorker(0, 1, 10'000, first), first + milliseconds(1000 + 20));
  EXPECT_EQ(network.UplinkFreeAt(0), first + milliseconds(1000));
  network.CloseWorkerEnd(0, Duration::zero());
  EXPECT_EQ(network.UplinkFreeAt(0), kNever);
}

}  // namespace
}  // namespace evenkeel::simulator
