#include "cli/simulate_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "workloads/built_in.h"

namespace evenkeel::cli {
namespace {

struct Ran {
  int code;
  std::string out;
  std::string err;
};

class SimulateCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("evenkeel-simulate-" + std::to_string(getpid()) + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ran Run(SimulateOptions options, const std::string& text) {
    options.scenario_files = {(folder_ / "s.yaml").string()};
    std::ofstream(folder_ / "s.yaml") << text;
    std::ostringstream out;
    std::ostringstream err;
    const int code = RunSimulateCommand(options, workloads::BuiltInWorkloads(), out, err);
    return {code, out.str(), err.str()};
  }

  std::filesystem::path folder_;
};

constexpr const char* kScenario =
    "name: small\n"
    "tasks: {count: 40, seconds: {exponential: 0.5}}\n"
    "nodes: [{name: a, speed: 2}, {name: b, speed: 1}]\n"
    "variants: [{name: mine, strategy: TailStealing, tailStealing: {stealing: Disabled}}]\n";

TEST_F(SimulateCommand, WritesEachRunAsJson) {
  SimulateOptions options;
  options.json = true;
  options.seeds = "5..7";
  const Ran ran = Run(options, kScenario);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json["runs"].size(), 3u);
  const auto& run = json["runs"][1];
  EXPECT_EQ(run["scenario"], "small");
  EXPECT_EQ(run["strategy"], "mine");
  EXPECT_EQ(run["seed"], 6);
  EXPECT_EQ(run["state"], "Complete");
  const double makespan = run["makespanSeconds"];
  const double bound = run["lowerBoundSeconds"];
  EXPECT_GE(makespan, bound);
  EXPECT_NEAR(run["efficiency"].get<double>(), bound / makespan, 1e-12);
  for (const char* field : {"utilization", "loadImbalancePercent", "messages", "wastedSeconds"}) {
    EXPECT_TRUE(run[field].is_number()) << field;
  }
  for (const char* field : {"reserved", "leased", "copies"}) {
    EXPECT_TRUE(run["moves"][field].is_number_integer()) << field;
  }
  ASSERT_EQ(json["summaries"].size(), 1u);
  EXPECT_EQ(json["summaries"][0]["repetitions"], 3);
}

TEST_F(SimulateCommand, TheSameSeedGivesTheSameBytes) {
  SimulateOptions options;
  options.json = true;
  options.seeds = "3";
  options.strategy = "all";
  const Ran one = Run(options, kScenario);
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(one.out, Run(options, kScenario).out);
}

TEST_F(SimulateCommand, TheTableHasTheBestFirst) {
  SimulateOptions options;
  options.strategy = "all";
  const Ran ran = Run(options, kScenario);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("small: 40 tasks on 2 nodes, seeds from 1, 1 of them"), std::string::npos);
  const auto ours = ran.out.find("\nTailStealing");
  ASSERT_NE(ours, std::string::npos);
  EXPECT_LT(ours, ran.out.find("\nDomainDecomposition"));
  EXPECT_NE(ran.out.find("\nmine"), std::string::npos);
}

TEST_F(SimulateCommand, MistakesAreOneLineAndCodeTwo) {
  SimulateOptions unknown;
  unknown.strategy = "Lottery";
  SimulateOptions backwards;
  backwards.seeds = "7..3";
  SimulateOptions no_number;
  no_number.seeds = "1..x";
  for (const auto& [options, part] :
       {std::pair{unknown, "--strategy: must be one of all, Tail"},
        std::pair{backwards, "--seed: must be a whole number"}, std::pair{no_number, "is 1..x"}}) {
    const Ran ran = Run(options, kScenario);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  }
  const Ran ran = Run({}, "name: x\n");
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("s.yaml: tasks"), std::string::npos) << ran.err;
}

TEST_F(SimulateCommand, AStrategyOfTheScenarioIsNamedOnce) {
  SimulateOptions options;
  options.strategy = "Lottery";
  const Ran ran = Run(options,
                      "name: x\ntasks: {count: 4, seconds: 1}\nnodes: [{name: a, speed: 1}]\n"
                      "strategies: [SS, GSS]\n");
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find(", SS,"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find(", SS,"), ran.err.rfind(", SS,")) << ran.err;
}

TEST_F(SimulateCommand, TheExitCodeTellsThatAJobDidNotEnd) {
  const Ran ran = Run({},
                      "name: lost\ntasks: {count: 100, seconds: 1}\n"
                      "nodes: [{name: a, speed: 1, faults: [{kind: Dies, at: 5}]}]\n");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("never ended"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace evenkeel::cli
