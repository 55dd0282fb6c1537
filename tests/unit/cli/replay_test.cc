// evenkeel simulate --replay and --html.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/simulate_command.h"
#include "tests/unit/simulator/stored_run.h"
#include "workloads/built_in.h"

namespace evenkeel::cli {
namespace {

struct Said {
  int code;
  std::string out;
  std::string err;
};

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    options_.replay = stored_.Folder().string();
    options_.json = true;
  }
  Said Run() {
    std::ostringstream out;
    std::ostringstream err;
    const int code = RunSimulateCommand(options_, workloads::BuiltInWorkloads(), out, err);
    return {code, out.str(), err.str()};
  }
  nlohmann::json Json() {
    const Said said = Run();
    EXPECT_EQ(said.code, 0) << said.err;
    return nlohmann::json::parse(said.out);
  }
  void ExpectRefused(const std::string& part) {
    const Said said = Run();
    EXPECT_EQ(said.code, 2);
    EXPECT_EQ(said.out, "");
    EXPECT_NE(said.err.find(part), std::string::npos) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  /// The content of the page's data element.
  nlohmann::json PageData() const {
    std::ifstream file(options_.html);
    const std::string page((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    const std::string tag = "id=\"data\">";
    const auto begin = page.find(tag) + tag.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  simulator::StoredRun stored_{testing::UnitTest::GetInstance()->current_test_info()->name()};
  SimulateOptions options_;
};

TEST_F(Replay, IsOfTheStrategyOfTheRun) {
  const auto json = Json();
  ASSERT_EQ(json["runs"].size(), 1u);
  EXPECT_EQ(json["runs"][0]["strategy"], "TailStealing");
  EXPECT_EQ(json["runs"][0]["scenario"], "stored");
  EXPECT_NEAR(json["runs"][0]["makespanSeconds"].get<double>(), 4.03, 0.02);
  EXPECT_EQ(json["replay"]["makespanSeconds"], 4.03);
  EXPECT_EQ(json["replay"]["speeds"], "declared");
}

TEST_F(Replay, MayTryAllStrategies) {
  options_.strategy = "all";
  EXPECT_GT(Json()["runs"].size(), 20u);
}

TEST_F(Replay, OneMoreNode) {
  options_.nodes = {"more=3"};
  const auto json = Json();
  EXPECT_EQ(json["runs"][0]["nodes"], 3);
  EXPECT_NEAR(json["runs"][0]["lowerBoundSeconds"].get<double>(), 2.015, 0.01);
}

TEST_F(Replay, OtherSpeedAndCoresAndWithoutANode) {
  options_.nodes = {"fast=1.5x2", "slow=0"};
  const auto json = Json();
  ASSERT_EQ(json["replay"]["nodes"].size(), 1u);
  EXPECT_EQ(json["replay"]["nodes"][0]["cores"], 2);
  EXPECT_NEAR(json["runs"][0]["lowerBoundSeconds"].get<double>(), 4.02, 0.01);
}

TEST_F(Replay, NodesOfAFileAreComparedWithThoseOfTheRun) {
  const auto file = stored_.Folder() / "nodes.yaml";
  std::ofstream(file) << "apiVersion: v1\nkind: List\nitems:\n"
                         "- {kind: Node, metadata: {name: slow, labels: {"
                         "hardware.evenkeel.dev/os-bits: \"32\"}}}\n"
                         "- {kind: Node, metadata: {name: other, labels: {"
                         "hardware.evenkeel.dev/os-bits: \"64\"}}}\n";
  options_.nodes = {file.string()};
  const auto nodes = Json()["replay"]["nodes"];
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0]["name"], "slow");
  EXPECT_EQ(nodes[0]["speed"], 1);
  EXPECT_EQ(nodes[1]["name"], "other");
  EXPECT_GT(nodes[1]["speed"].get<double>(), 1);
}

TEST_F(Replay, TheTableBeginsWithWhatWasReplayed) {
  options_.json = false;
  const Said said = Run();
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.out.find("TailStealing took 4.03 s\nspeeds (declared): fast 2, slow 1\n"),
            std::string::npos)
      << said.out;
}

TEST_F(Replay, MistakesAreOneLine) {
  for (const char* item : {"a=", "a=x", "a=2x", "a=2x0", "=2", "A_b=2", "a=-1", "a=nan", "a=2 "}) {
    options_.nodes = {item};
    ExpectRefused("--nodes: must be a file of Nodes, NAME=SPEED");
  }
  options_.nodes = {"unknown=0"};
  ExpectRefused("--nodes: node unknown is not there");
  options_.nodes = {"fast=0", "slow=0"};
  ExpectRefused("--nodes: leaves no node");
  options_.nodes = {"nowhere.yaml"};
  ExpectRefused("--nodes: nowhere.yaml");
  options_.nodes = {"a=1", "nowhere.yaml"};
  ExpectRefused("--nodes: a file of Nodes may only come first");
  options_.nodes = {};
  options_.scenario_files = {"s.yaml"};
  ExpectRefused("--replay: takes the place of a scenario file");
  options_.scenario_files = {};
  options_.replay = (stored_.Folder() / "none").string();
  ExpectRefused("none: cannot be read");
  options_.replay = "";
  ExpectRefused("scenario is required");
}

TEST_F(Replay, ThePageHasTheRunAndItsReplays) {
  options_.html = (stored_.Folder() / "page.html").string();
  options_.strategy = "TailStealing";
  options_.nodes = {"slow=0", "more=4"};
  options_.seeds = "3..5";
  EXPECT_EQ(Run().code, 0);
  const auto scenario = PageData()["scenarios"].at(0);
  EXPECT_EQ(scenario["seed"], "3");
  EXPECT_EQ(scenario["repetitions"], 3);
  EXPECT_EQ(scenario["rows"].size(), 1u);
  ASSERT_EQ(scenario["nodes"].size(), 3u);  // the one that is left out has a lane as well
  ASSERT_EQ(scenario["runs"].size(), 2u);
  EXPECT_EQ(scenario["runs"][0]["recorded"], true);
  EXPECT_EQ(scenario["runs"][0]["timeline"]["ranges"], 3);
  EXPECT_EQ(scenario["runs"][1]["strategy"], "TailStealing");
  std::int64_t tasks = 0;
  for (const auto& bar : scenario["runs"][1]["timeline"]["bars"]) tasks += bar[7].get<int>();
  EXPECT_EQ(tasks, 12);
}

TEST_F(Replay, APageThatCannotBeWrittenIsToldBeforeAnythingIsSimulated) {
  options_.html = (stored_.Folder() / "nowhere" / "page.html").string();
  ExpectRefused("--html: ");
}

}  // namespace
}  // namespace evenkeel::cli
