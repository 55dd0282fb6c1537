// One node against a coordinator that the test plays.
#include "simulator/worker_host.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/describe.h"

namespace evenkeel::simulator {
namespace {

using engine::StreamId;
using std::chrono::milliseconds;
using std::chrono::seconds;

// One node that takes 2 s for each of 10 tasks.
SimulationConfig OneNode() {
  SimulationConfig config;
  config.true_costs.assign(10, 1.0);
  config.network.latency = Duration::zero();
  config.job.workload = "sleep";
  config.nodes.resize(1);
  config.nodes[0].name = "a";
  config.nodes[0].speed = SpeedProfile(0.5);
  return config;
}

class WorkerHostTest : public testing::Test, private StreamEndpoints {
 protected:
  WorkerHostTest() { network.Listen(); }

  void At(Duration at, VirtualTime::Action action) {
    context.time.At(Instant{at}, std::move(action));
  }
  void RunUntil(Duration limit) { context.time.Run(Instant{limit}); }

  SimulationContext context{OneNode()};
  SimulatedTasks tasks{context.config};
  CoordinatorProcessor processor{context.config.coordinator, context.rng};
  Network network{context, processor, *this};
  DataBlocks blocks{context, network};
  WorkerHost host{0, {context, network, blocks, tasks}};
  std::vector<engine::CompletedRange> completed;
  std::vector<Instant> completed_at;
  int hellos = 0;
  int closed = 0;

 private:
  // Every worker gets the first two tasks.
  void OnMessage(StreamId stream, engine::ToCoordinator message) override {
    if (std::holds_alternative<engine::Hello>(message)) {
      ++hellos;
      engine::Welcome welcome;
      welcome.epoch = 1;
      welcome.lease = seconds(100);
      welcome.report_interval = milliseconds(1);
      welcome.task_timeout = std::chrono::hours(10);
      network.Send(stream, welcome);
      engine::Grant grant;
      grant.id = engine::GrantId{1};
      grant.range = {0, 2};
      network.Send(stream, engine::Assign{{grant}});
    }
    if (const auto* report = std::get_if<engine::Report>(&message)) {
      for (const auto& done : report->completed) {
        completed.push_back(done);
        completed_at.push_back(context.time.Now());
      }
    }
  }
  void OnClosedByWorker(StreamId) override { ++closed; }
  void OnMessage(std::size_t, engine::ToWorker message) override {
    host.OnMessage(std::move(message));
  }
  void OnClosedByCoordinator(std::size_t) override { host.OnStreamClosed(); }
};

TEST_F(WorkerHostTest, TasksTakeTheirCostOverTheSpeed) {
  host.Start();
  RunUntil(seconds(10));
  ASSERT_FALSE(completed.empty());
  EXPECT_EQ(completed[0].busy, seconds(2));
  EXPECT_EQ(tasks.times_run()[0], 1);
  EXPECT_EQ(tasks.times_run()[1], 1);
  EXPECT_DOUBLE_EQ(host.busy_seconds(), 4);
}

TEST_F(WorkerHostTest, AKilledProcessLosesItsTasks) {
  host.Start();
  At(seconds(1), [this] { host.Kill(); });
  At(seconds(5), [this] { host.Start(); });
  RunUntil(seconds(6));
  EXPECT_EQ(hellos, 2);
  EXPECT_EQ(closed, 1);
  EXPECT_TRUE(completed.empty());
}

TEST_F(WorkerHostTest, AStalledProcessHandlesNothingUntilItGoesOn) {
  host.PlanStall(Instant{seconds(1)}, Instant{seconds(31)});
  host.Start();
  At(seconds(1), [this] { host.Stall(Instant{seconds(31)}); });
  RunUntil(seconds(40));
  ASSERT_FALSE(completed.empty());
  EXPECT_GE(completed_at[0], Instant{seconds(32)});
  EXPECT_EQ(completed[0].busy, seconds(32));
}

TEST_F(WorkerHostTest, AfterACutItConnectsWhenTheLinkIsUp) {
  host.Start();
  At(seconds(1), [this] { host.CutLink(Instant{seconds(3)}, Duration::zero()); });
  RunUntil(seconds(2));
  EXPECT_FALSE(network.StreamOf(0));
  EXPECT_EQ(closed, 1);
}

TEST_F(WorkerHostTest, ItTriesAgainWhileNobodyListens) {
  network.StopListening();
  host.Start();
  At(seconds(1), [this] { network.Listen(); });
  RunUntil(seconds(2));
  EXPECT_EQ(hellos, 1);
}

TEST_F(WorkerHostTest, AClockThatJumpsChangesReportedDurationsOnly) {
  host.Start();
  At(seconds(1), [this] { host.JumpClock(seconds(1000)); });
  RunUntil(seconds(10));
  ASSERT_EQ(completed.size(), 2u);
  EXPECT_EQ(completed[0].busy, seconds(1002));
  EXPECT_EQ(completed[1].busy, seconds(2));
  EXPECT_LT(completed_at[1], Instant{seconds(5)});
}

}  // namespace
}  // namespace evenkeel::simulator
