#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/workloads/job_run.h"
#include "workloads/switch_simulation/task_result.h"

namespace evenkeel::workloads {
namespace {

constexpr const char* kSweep = R"({"ports": 4, "slots": 3000, "loads": [0.95, 0.5, 0.8],
    "bufferSizes": [8, 1, 200], "algorithms": ["LQF", "RR", "RAND"], "seeds": [1, 5]})";
constexpr std::int64_t kTasks = 54;

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

TEST(SwitchResults, AnyDivisionOfTheTasksGivesTheSameFiles) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  const TempFolder whole;
  const std::string result = RunJob(*sweep, {{0, kTasks}}, whole.Path());
  const std::string table = TextOf(whole.Path() / "results.csv");
  for (const std::uint64_t seed : {1u, 2u}) {
    const TempFolder folder;
    EXPECT_EQ(RunJob(*sweep, ShuffledRanges(kTasks, 7, seed), folder.Path()), result);
    EXPECT_EQ(TextOf(folder.Path() / "results.csv"), table);
  }
}

TEST(SwitchResults, TheTableHasARowATaskInOrder) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  const TempFolder folder;
  static_cast<void>(RunJob(*sweep, {{30, kTasks}, {0, 30}}, folder.Path()));
  const auto lines = Split(TextOf(folder.Path() / "results.csv"), '\n');
  ASSERT_EQ(lines.size(), 1u + kTasks);
  EXPECT_EQ(lines[0],
            "index,seed,load,bufferSize,algorithm,arrived,departed,lost,queued,throughput,loss,"
            "meanDelay,delayP50,delayP95,delayP99,longestDelay");
  EXPECT_EQ(lines[1].substr(0, 15), "0,1,0.95,8,LQF,");
  EXPECT_EQ(lines[2].substr(0, 14), "1,1,0.95,8,RR,");
  EXPECT_EQ(lines[13].substr(0, 15), "12,1,0.5,1,LQF,");
  EXPECT_EQ(lines[54].substr(0, 18), "53,5,0.8,200,RAND,");
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const auto cells = Split(lines[n], ',');
    ASSERT_EQ(cells.size(), 16u) << lines[n];
    EXPECT_EQ(cells[0], std::to_string(n - 1));
    const double arrived = std::stod(cells[5]);
    EXPECT_EQ(arrived, std::stod(cells[6]) + std::stod(cells[7]) + std::stod(cells[8]));
    EXPECT_EQ(std::stod(cells[9]), std::stod(cells[6]) / (4 * 3000.0));
    EXPECT_EQ(std::stod(cells[10]), std::stod(cells[7]) / arrived);
    EXPECT_LE(std::stod(cells[12]), std::stod(cells[13]));
    EXPECT_LE(std::stod(cells[14]), std::stod(cells[15]));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / ".results.csv.partial"));
}

TEST(SwitchResults, TrafficIsTheSameForEveryAlgorithmAndBufferSize) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  const TempFolder folder;
  static_cast<void>(RunJob(*sweep, {{0, kTasks}}, folder.Path()));
  const auto lines = Split(TextOf(folder.Path() / "results.csv"), '\n');
  for (std::size_t n = 1; n + 9 <= lines.size(); n += 9) {
    for (std::size_t i = 1; i < 9; ++i) {
      EXPECT_EQ(Split(lines[n], ',')[5], Split(lines[n + i], ',')[5]);
    }
  }
  EXPECT_NE(Split(lines[1], ',')[5], Split(lines[28], ',')[5]) << "of another seed";
}

TEST(SwitchResults, TheResultBeginsWithTheOutcomeOfTheSweep) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  const auto result = nlohmann::ordered_json::parse(RunJob(*sweep));
  EXPECT_EQ(result.begin().key(), "tasks");
  EXPECT_EQ(result["tasks"], kTasks);
  EXPECT_GT(result["cells"], 300000);
  EXPECT_EQ(result["highestLoad"], 0.95);
  EXPECT_LT(result["meanLossThere"]["LQF"], result["meanLossThere"]["RR"]);
  for (const char* algorithm : {"LQF", "RR", "RAND"}) {
    EXPECT_GT(result["meanLossThere"][algorithm], 0.01);
    EXPECT_EQ(result["bufferWithoutLoss"][algorithm], 200);
  }
  const auto lossy = nlohmann::json::parse(
      RunJob(*MakeOrFail("switchSimulation", R"({"slots": 500, "loads": [1], "bufferSizes": [1],
                                                 "algorithms": ["RR"]})")));
  EXPECT_EQ(lossy["bufferWithoutLoss"]["RR"], nullptr);
}

TEST(SwitchResults, ChartsShowEveryMeasureByLoadAndTheLossByBufferSize) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  const TempFolder folder;
  const auto reducer = sweep->MakeReducer();
  ASSERT_TRUE(reducer->Add({0, kTasks}, RunRange(*sweep, {0, kTasks})));
  ASSERT_TRUE(reducer->Finish(folder.Path()));
  const auto charts = reducer->Charts();
  ASSERT_EQ(charts.size(), 5u);
  EXPECT_EQ(charts[0].title, "Loss by load");
  ASSERT_EQ(charts[0].views.size(), 3u);
  EXPECT_EQ(charts[0].views[0].name, "1");
  EXPECT_EQ(charts[0].views[2].name, "200");
  ASSERT_EQ(charts[0].views[0].series.size(), 3u);
  const auto& points = charts[0].views[0].series[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].x, 0.5);
  EXPECT_EQ(points[2].x, 0.95);
  EXPECT_LT(points[0].y, points[2].y);
  EXPECT_EQ(charts[0].views[2].series[0].points[2].y, 0);
  EXPECT_EQ(charts[4].title, "Loss by buffer size");
  EXPECT_EQ(charts[4].views[2].name, "0.95");
  EXPECT_EQ(charts[4].shown_view, 2u);
}

TEST(SwitchResults, TasksThatFailedForGoodHaveNeitherRowNorPoint) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  const TempFolder folder;
  const auto reducer = sweep->MakeReducer();
  ASSERT_TRUE(reducer->Add({3, 5}, RunRange(*sweep, {3, 5})));
  const auto result = reducer->Finish(folder.Path());
  ASSERT_TRUE(result);
  EXPECT_EQ(nlohmann::json::parse(*result)["tasks"], 2);
  EXPECT_EQ(Split(TextOf(folder.Path() / "results.csv"), '\n').size(), 3u);
  EXPECT_TRUE(reducer->Charts()[0].views[2].series[0].points.empty());
}

TEST(SwitchResults, AWrongResultIsAnError) {
  const auto sweep = MakeOrFail("switchSimulation", kSweep);
  std::string lost_without_a_trace = ResultOf(*sweep, 1);
  ++lost_without_a_trace[0];
  for (const std::string& wrong : {lost_without_a_trace, std::string("short"), std::string()}) {
    model::PackedResults results;
    results.Append(wrong);
    const auto added = sweep->MakeReducer()->Add({1, 2}, results);
    ASSERT_FALSE(added.has_value());
    EXPECT_EQ(added.error().message.substr(0, 12), "task 1: its ");
  }
}

/// The bytes of a few tasks, worked out once: they must be the same on every architecture.
TEST(SwitchResults, AreTheSameEverywhere) {
  const auto sweep = MakeOrFail("switchSimulation", R"({"ports": 5, "slots": 2000,
      "loads": [0.9], "bufferSizes": [3]})");
  std::vector<std::uint64_t> sums;
  for (model::TaskIndex task = 0; task < sweep->TaskCount(); ++task) {
    const auto result = switch_simulation::ReadResult(ResultOf(*sweep, task));
    ASSERT_TRUE(result);
    sums.push_back(result->delay_sum);
  }
  EXPECT_EQ(sums,
            (std::vector<std::uint64_t>{25071, 19991, 19450, 19626, 24696, 20551, 21241, 18631}));
}

TEST(SwitchRun, AStopEndsATaskAtOnce) {
  const auto sweep = MakeOrFail("switchSimulation", R"({"slots": 100000000, "ports": 32,
      "loads": [1], "bufferSizes": [100], "algorithms": ["RAND"]})");
  EXPECT_EQ(StopMidRun(*sweep, 0), TaskOutcome::kStopped);
}

}  // namespace
}  // namespace evenkeel::workloads
