#include "simulator/recorded_run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "simulator/scenario_drawing.h"
#include "simulator/scenario_parsing.h"
#include "simulator/scenario_run.h"
#include "tests/unit/simulator/stored_run.h"
#include "workloads/built_in.h"

namespace evenkeel::simulator {
namespace {

class RecordedRunTest : public testing::Test {
 protected:
  RecordedRun Read() {
    stored_.Write();
    auto run = ReadRecordedRun(stored_.Folder());
    EXPECT_TRUE(run) << run.error().message;
    return run.value_or(RecordedRun{});
  }
  std::string Refused() {
    stored_.Write();
    const auto run = ReadRecordedRun(stored_.Folder());
    return run ? "" : run.error().message;
  }
  void AddLine(const std::string& line) { stored_.Timeline() += line + "\n"; }
  static double SpeedOf(const NodeGroup& node) { return std::get<Constant>(node.speed).value; }

  StoredRun stored_{testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(RecordedRunTest, CostsAreBusyTimesAtTheSpeedsOfTheirNodes) {
  const RecordedRun run = Read();
  ASSERT_EQ(run.seconds.size(), 12u);
  for (const double seconds : run.seconds) EXPECT_NEAR(seconds, 1, 1e-9);
  EXPECT_FALSE(run.costs_declared);
  EXPECT_EQ(run.without_time, 0);
  EXPECT_EQ(run.strategy, model::StrategyName::kTailStealing);
}

TEST_F(RecordedRunTest, NodesAndTheirDeclaredSpeedsAreThoseOfTheRun) {
  stored_.Summary().nodes[0].ratio = 7;
  const RecordedRun run = Read();
  ASSERT_EQ(run.nodes.size(), 2u);
  EXPECT_EQ(run.nodes[0].name, "fast");
  EXPECT_EQ(run.nodes[0].weight, 7);
  EXPECT_NEAR(run.nodes[0].joins->seconds, 0.01, 1e-9);
  EXPECT_TRUE(run.nodes[0].expected);
  EXPECT_EQ(run.nodes[1].cores, 1u);
}

TEST_F(RecordedRunTest, DeclaredSpeedsHoldWhereCostsAreNotKnown) {
  stored_.Summary().nodes[0].mean_rate = 3;  // it happened to get short tasks
  const RecordedRun run = Read();
  EXPECT_EQ(run.speed_source, "declared");
  EXPECT_NEAR(SpeedOf(run.nodes[0]), 2, 1e-9);
  EXPECT_NEAR(SpeedOf(run.nodes[1]), 1, 1e-9);
}

TEST_F(RecordedRunTest, MeasuredRatesHoldWhereCostsAreKnownOnTheScaleOfDeclaredOnes) {
  stored_.Summary().nodes[0].mean_rate = 2e9;  // units a second
  stored_.Summary().nodes[1].mean_rate = 0.5e9;
  const RecordedRun run = Read();
  EXPECT_TRUE(run.costs_declared);
  EXPECT_EQ(run.speed_source, "measured");
  EXPECT_NEAR(SpeedOf(run.nodes[0]), 2.4, 1e-9);  // 2 : 0.5, together 3 as declared
  EXPECT_NEAR(SpeedOf(run.nodes[1]), 0.6, 1e-9);
}

TEST_F(RecordedRunTest, WithoutDeclaredSpeedsTheSlowestCoreIsOne) {
  for (auto& node : stored_.Summary().nodes) node.declared_speed.reset();
  // A second thread of `fast`.
  AddLine(R"({"worker":"fast","start":0.02,"end":4.02,"range":[12,13],"kind":"stolen","busy":4})");
  stored_.Summary().tasks_total = 13;
  stored_.Summary().nodes[1].mean_rate = 0.5;
  const RecordedRun run = Read();
  EXPECT_EQ(run.speed_source, "measured");
  EXPECT_EQ(run.nodes[0].cores, 2u);
  EXPECT_NEAR(SpeedOf(run.nodes[0]), 2, 1e-9);  // 2 tasks a second on two cores against 0.5 on one
  EXPECT_NEAR(SpeedOf(run.nodes[1]), 1, 1e-9);
}

TEST_F(RecordedRunTest, ShortPausesBetweenRangesMakeANodeSlowerAndNoTaskLonger) {
  auto& timeline = stored_.Timeline();
  const std::string later = R"("start":2.020000,"end":4.020000)";
  timeline.replace(timeline.find(later), later.size(), R"("start":2.120000,"end":4.120000)");
  const RecordedRun run = Read();
  EXPECT_NEAR(SpeedOf(run.nodes[0]), 2 * 4 / 4.1, 1e-9);
  EXPECT_NEAR(run.seconds[0], 1, 1e-9);
}

TEST_F(RecordedRunTest, ALossIsADeathAfterTheLastResultUntilTheNodeCameBack) {
  AddLine(R"({"kind":"lost","worker":"fast","start":3.5})");
  AddLine(R"({"kind":"joined","worker":"fast","start":3.75})");
  const RecordedRun run = Read();
  ASSERT_EQ(run.nodes[0].faults.size(), 1u);
  const NodeFault& fault = run.nodes[0].faults[0];
  EXPECT_EQ(fault.kind, Fault::Kind::kKillWorker);
  EXPECT_NEAR(fault.at.seconds, 2.02, 1e-9);
  EXPECT_NEAR(fault.lasts->seconds, 3.75 - 2.02, 1e-9);
  EXPECT_TRUE(run.nodes[1].faults.empty());
}

TEST_F(RecordedRunTest, ANodeThatStaysAwayDiesForEver) {
  AddLine(R"({"kind":"lost","worker":"slow","start":9})");
  EXPECT_FALSE(Read().nodes[1].faults.at(0).lasts);
}

TEST_F(RecordedRunTest, AProcessThatStartedAnewHadDied) {
  AddLine(R"({"kind":"joined","worker":"slow","start":4.5})");
  const RecordedRun run = Read();
  ASSERT_EQ(run.nodes[1].faults.size(), 1u);
  EXPECT_NEAR(run.nodes[1].faults[0].at.seconds, 4.02, 1e-9);
  EXPECT_NEAR(run.nodes[1].faults[0].lasts->seconds, 0.48, 1e-9);
}

TEST_F(RecordedRunTest, ANodeThatRanOnOnlyLostItsLink) {
  AddLine(R"({"kind":"joined","worker":"slow","start":2.5})");
  EXPECT_TRUE(Read().nodes[1].faults.empty());
}

TEST_F(RecordedRunTest, ANodeWithoutAShareThatCameLateWasNotExpected) {
  auto late = stored_.Summary().nodes[0];
  late.name = "late";
  late.share = 0;
  stored_.Summary().nodes.push_back(late);
  AddLine(R"({"kind":"joined","worker":"late","start":2})");
  const RecordedRun run = Read();
  ASSERT_EQ(run.nodes.size(), 3u);
  EXPECT_FALSE(run.nodes[2].expected);
  EXPECT_NEAR(run.nodes[2].joins->seconds, 2, 1e-9);
}

TEST_F(RecordedRunTest, TasksWithoutAResultAreAverageOnes) {
  stored_.Summary().tasks_total = 14;
  const RecordedRun run = Read();
  EXPECT_EQ(run.without_time, 2);
  EXPECT_NEAR(run.seconds[13], 1, 1e-9);
}

TEST_F(RecordedRunTest, NodesThatComeOneAfterTheOtherWereExpected) {
  stored_.Summary().strategy = "MasterSlave";  // all tasks wait at the first node
  stored_.Summary().nodes[0].share = 1;
  stored_.Summary().nodes[1].share = 0;
  for (const NodeGroup& node : Read().nodes) EXPECT_TRUE(node.expected) << node.name;
}

// By hand: 0.02 s until all are there, then 12 s of work at speed 3.
TEST_F(RecordedRunTest, AReplayWithoutChangesTakesTheRecordedTime) {
  const Scenario scenario = ScenarioOf(Read());
  const ScenarioRun again = Repetition(scenario, 1).Run(scenario.variants.at(0));
  EXPECT_EQ(again.strategy, "TailStealing");
  // Messages and commits of the journal take some milliseconds.
  EXPECT_NEAR(again.makespan_seconds, 4.03, 0.02);
  EXPECT_EQ(again.state, model::JobState::kComplete);
}

TEST_F(RecordedRunTest, AScenarioMayNameATimeline) {
  stored_.Write();
  const auto read = ParseScenario("name: x\ntasks: {timeline: timeline.jsonl}\n", "s.yaml",
                                  stored_.Folder(), workloads::BuiltInWorkloads());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->nodes.size(), 2u);
  EXPECT_EQ(read->variants.at(0).name, "TailStealing");
}

TEST_F(RecordedRunTest, AScenarioMayHaveOtherNodesForATimeline) {
  stored_.Write();
  const auto read = ParseScenario(
      "name: x\ntasks: {timeline: ., costsTold: true}\nnodes: [{name: a, speed: 6}]\n"
      "strategies: [SS]\n",
      "s.yaml", stored_.Folder(), workloads::BuiltInWorkloads());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->tasks.costs_declared);
  EXPECT_NEAR(LowerBound(DrawSimulation(*read, 1)), 2, 1e-6);
  EXPECT_EQ(read->variants.at(0).name, "SS");
}

TEST_F(RecordedRunTest, AFolderWithoutARunIsRefusedInOneLine) {
  const std::string good = stored_.Timeline();
  stored_.Timeline() = "time,node\n1,a\n";
  EXPECT_NE(Refused().find("timeline.jsonl:1: is not a JSON object"), std::string::npos);
  stored_.Timeline() = R"({"kind":"tick"})";
  EXPECT_NE(Refused().find("timeline.jsonl:1: kind: one of planned"), std::string::npos);
  stored_.Timeline() = R"({"kind":"joined","worker":"fast","start":0})";
  EXPECT_NE(Refused().find("timeline.jsonl: has no results of tasks"), std::string::npos);
  stored_.Timeline() = good;
  stored_.Summary().tasks_total = 10;
  EXPECT_NE(Refused().find("task 11 is not among the 10 of summary.json"), std::string::npos);
  stored_.Summary().tasks_total = 12;
  stored_.Summary().nodes.pop_back();
  EXPECT_NE(Refused().find("node slow is not in summary.json"), std::string::npos);
  std::filesystem::remove(stored_.Folder() / "summary.json");
  const auto alone = ReadRecordedRun(stored_.Folder());
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("summary.json: there is no such file"), std::string::npos);
  const auto none = ReadRecordedRun(stored_.Folder() / "nothing");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("nothing: cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::simulator
