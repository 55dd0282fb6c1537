// One node against a coordinator that the test plays.
#include "simulator/worker_host.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simulator/trace_recorder.h"

namespace evenkeel::simulator {
namespace {

using engine::StreamId;
using std::chrono::milliseconds;
using std::chrono::seconds;

// One node that takes 2 s for each of 9 tasks, and 200 s for the last one.
SimulationConfig OneNode() {
  SimulationConfig config;
  config.true_costs.assign(10, 1.0);
  config.true_costs.back() = 100;
  config.network.latency = Duration::zero();
  config.job.workload = "sleep";
  config.nodes.resize(1);
  config.nodes[0].name = "a";
  config.nodes[0].speed = SpeedProfile(0.5);
  return config;
}

class WorkerHostTest : public testing::Test, private StreamEndpoints {
 protected:
  explicit WorkerHostTest(SimulationConfig config = OneNode())
      : context(Traced(std::move(config), trace)) {
    network.Listen();
  }
  static SimulationConfig Traced(SimulationConfig config, std::string& trace) {
    config.trace = [&trace](const std::string& line) { trace += line + "\n"; };
    return config;
  }

  void At(Duration at, VirtualTime::Action action) {
    context.time.At(Instant{at}, std::move(action));
  }
  void RunUntil(Duration limit) { context.time.Run(Instant{limit}); }

  std::string trace;
  model::IndexRange granted{0, 2};  // to each stream
  SimulationContext context;
  SimulatedTasks tasks{context.config};
  CoordinatorProcessor processor{context.config.coordinator, context.rng};
  Network network{context, processor, *this};
  DataBlocks blocks{context, network};
  InputFiles files{context, network};
  WorkerHost host{0, {context, network, blocks, files, tasks}};
  std::vector<engine::CompletedRange> completed;
  std::vector<Instant> completed_at;
  std::vector<Instant> hellos;
  int goodbyes = 0;
  int closed = 0;

 private:
  void OnMessage(StreamId stream, engine::ToCoordinator message) override {
    if (std::holds_alternative<engine::Hello>(message)) {
      hellos.push_back(context.time.Now());
      engine::Welcome welcome;
      welcome.epoch = 1;
      welcome.lease = seconds(100);
      welcome.report_interval = milliseconds(1);
      welcome.task_timeout = std::chrono::hours(10);
      network.Send(stream, welcome);
      engine::Grant grant;
      grant.id = engine::GrantId{1};
      grant.range = granted;
      network.Send(stream, engine::Assign{{grant}});
    }
    if (std::holds_alternative<engine::Goodbye>(message)) ++goodbyes;
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
  EXPECT_EQ(hellos.size(), 2U);
  EXPECT_EQ(closed, 1);
  EXPECT_TRUE(completed.empty());
}

TEST_F(WorkerHostTest, TasksOfTheNextProcessDoNotEndWithThoseOfAKilledOne) {
  host.Start();
  At(seconds(1), [this] {
    host.Kill();
    host.Start();
  });
  RunUntil(seconds(10));
  ASSERT_FALSE(completed.empty());
  EXPECT_GE(completed_at[0], Instant{seconds(3)});
  EXPECT_EQ(completed[0].busy, seconds(2));
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
  At(seconds(2), [this] {
    EXPECT_FALSE(network.StreamOf(0));
    EXPECT_EQ(closed, 1);
  });
  RunUntil(seconds(4));
  ASSERT_EQ(hellos.size(), 2U);
  EXPECT_EQ(hellos[1], Instant{seconds(3)});
}

TEST_F(WorkerHostTest, AttemptsOverALinkThatStaysDownEnd) {
  host.Start();
  At(seconds(1), [this] { host.CutLink(Instant{seconds(10)}, Duration::zero()); });
  RunUntil(seconds(16));
  ASSERT_EQ(hellos.size(), 2U);
  EXPECT_GE(hellos[1], Instant{seconds(10)});
  EXPECT_NE(trace.find("a: no coordinator at coordinator: no answer"), std::string::npos) << trace;
}

TEST_F(WorkerHostTest, AnAttemptEndsWithItsProcess) {
  host.CutLink(Instant{seconds(2)}, Duration::zero());
  host.Start();
  At(seconds(1), [this] {
    host.Kill();
    host.Start();
  });
  RunUntil(seconds(5));
  EXPECT_EQ(hellos.size(), 1U);
  EXPECT_FALSE(completed.empty());
}

TEST_F(WorkerHostTest, AStalledProcessNoticesLaterThatItsStreamClosed) {
  host.Start();
  At(seconds(1), [this] { host.Stall(Instant{seconds(31)}); });
  At(seconds(2), [this] { network.StopListening(); });
  At(seconds(3), [this] { network.Listen(); });
  RunUntil(seconds(32));
  ASSERT_EQ(hellos.size(), 2U);
  EXPECT_GE(hellos[1], Instant{milliseconds(31'025)});
  EXPECT_LE(hellos[1], Instant{milliseconds(31'050)});
}

TEST_F(WorkerHostTest, ADrainStopsATaskThatOutlastsItsGrace) {
  granted = {9, 10};
  host.Start();
  At(seconds(1), [this] { host.Drain(); });
  At(seconds(20), [this] { EXPECT_TRUE(host.running()); });
  RunUntil(seconds(22));
  EXPECT_FALSE(host.running());
  EXPECT_EQ(goodbyes, 1);
  EXPECT_EQ(closed, 1);
  EXPECT_TRUE(completed.empty());
}

TEST_F(WorkerHostTest, RetriesWhileNoServerListens) {
  network.StopListening();
  host.Start();
  At(seconds(1), [this] { network.Listen(); });
  RunUntil(seconds(2));
  ASSERT_EQ(hellos.size(), 1U);
  EXPECT_GE(hellos[0], Instant{seconds(1)});
}

// The product's pauses: 25 to 50 ms at first, later up to a third of the time waited, 5 s at most.
TEST_F(WorkerHostTest, PausesBetweenAttemptsGrow) {
  host.Start();
  const auto restart_coordinator = [this](Duration at, Duration away) {
    At(at, [this] { network.StopListening(); });
    At(at + away, [this] { network.Listen(); });
  };
  restart_coordinator(seconds(1), milliseconds(1));
  restart_coordinator(seconds(10), seconds(60));
  RunUntil(seconds(100));
  ASSERT_EQ(hellos.size(), 3U);
  EXPECT_GE(hellos[1], Instant{milliseconds(1025)});
  EXPECT_LE(hellos[1], Instant{milliseconds(1050)});
  EXPECT_GT(hellos[2], Instant{milliseconds(70'050)});
  EXPECT_LE(hellos[2], Instant{seconds(75)});
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

// One node with two threads and 20 tasks: the 11th lasts 100 ms, the others 1 ms.
SimulationConfig OneLongTaskAmongShortOnes() {
  SimulationConfig config = OneNode();
  config.true_costs.assign(20, 0.0005);
  config.true_costs[10] = 0.05;
  config.nodes[0].threads = 2;
  return config;
}

class WorkerHostBatchTest : public WorkerHostTest {
 protected:
  WorkerHostBatchTest() : WorkerHostTest(OneLongTaskAmongShortOnes()) { granted = {0, 20}; }
};

TEST_F(WorkerHostBatchTest, TasksBehindALongOneRunOnTheOtherThread) {
  host.Start();
  At(milliseconds(60), [this] {
    std::int64_t done = 0;
    for (const auto& range : completed) done += range.range.Size();
    EXPECT_EQ(done, 19);
  });
  RunUntil(seconds(1));
  EXPECT_EQ(tasks.times_run(), std::vector<std::int64_t>(20, 1));
}

}  // namespace
}  // namespace evenkeel::simulator
