#include "cli/weights_command.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace evenkeel::cli {
namespace {

using nlohmann::json;

const std::string kNodes = EVENKEEL_SOURCE_DIR "/examples/nodes/";

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

Outcome RunWith(const WeightsOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = RunWeightsCommand(options, out, err);
  return {exit_code, out.str(), err.str()};
}

json NodesOf(const std::string& file, const std::string& policy) {
  const Outcome outcome = RunWith({kNodes + file, policy, true});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out)["nodes"];
}

class WeightsCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "weights_command_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  std::string folder_;
};

TEST_F(WeightsCommand, PaperPolicyOnThePapersNodes) {
  const json nodes = NodesOf("pi-trio.yaml", "paper");
  ASSERT_EQ(nodes.size(), 3u);
  const double want_value[] = {0.975, 0.985, 0.229};
  const double want_ratio[] = {4.253, 4.297, 1};
  const int want_weight[] = {5, 5, 1};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(nodes[j]["value"].get<double>(), want_value[j], 0.0005);
    EXPECT_NEAR(nodes[j]["ratio"].get<double>(), want_ratio[j], 0.0005);
    EXPECT_EQ(nodes[j]["weight"], want_weight[j]);
    EXPECT_EQ(nodes[j]["notes"], json::array());
    EXPECT_EQ(nodes[j]["factors"].size(), 7u);
  }
  EXPECT_EQ(nodes[2]["name"], "pi3");
  EXPECT_NEAR(nodes[2]["factors"]["cpu"].get<double>(), std::pow(0.2, 0.8), 1e-12);
}

TEST_F(WeightsCommand, DefaultPolicyOnTheExamples) {
  const json trio = NodesOf("pi-trio.yaml", "default");
  EXPECT_NEAR(trio[0]["ratio"].get<double>(), 4.26, 0.05);
  EXPECT_NEAR(trio[1]["ratio"].get<double>(), 4.30, 0.05);

  const json sixteen = NodesOf("sixteen.yaml", "default");
  ASSERT_EQ(sixteen.size(), 16u);
  EXPECT_NEAR(sixteen[0]["ratio"].get<double>(), 4.3, 0.4);
  EXPECT_NEAR(sixteen[4]["ratio"].get<double>(), 2.0, 0.2);
  EXPECT_EQ(sixteen[15]["ratio"], 1.0);

  const json lying = NodesOf("sixteen-upside-down.yaml", "default");
  EXPECT_EQ(lying[0]["ratio"], 1.0);
  EXPECT_GT(lying[15]["ratio"].get<double>(), 4.0);
}

TEST_F(WeightsCommand, TheTableHasARowANodeAndReasonsBelow) {
  const Outcome outcome = RunWith({kNodes + "pi-trio.yaml", "paper", false});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(
      line,
      "NODE     cpu  osBits    ram  extraLoad     sd  power  osRelease  VALUE  RATIO  WEIGHT");
  std::getline(lines, line);
  EXPECT_EQ(
      line,
      "pi4-a  1.000   1.000  1.000      0.990  1.000  0.995      0.990  0.975  4.253       5");
  EXPECT_NE(outcome.out.find("pi3: cpu Cortex-A53 1200 MHz (significantly-below-norm), osBits 32 "),
            std::string::npos);
}

TEST_F(WeightsCommand, UnknownFactorsAreMarkedAndNoted) {
  const std::string nodes =
      Write("nodes.yaml",
            "apiVersion: v1\nkind: List\nitems: [{metadata: {name: a}}, "
            "{metadata: {name: b, labels: {hardware.evenkeel.dev/cpu: x}}}]\n");
  const Outcome outcome = RunWith({nodes, "default", false});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("1.000?"), std::string::npos);
  EXPECT_NE(outcome.out.find("note: cpu: cannot read \"x\""), std::string::npos);
  EXPECT_NE(outcome.out.find("note: nothing that can be read tells the nodes apart"),
            std::string::npos);
}

TEST_F(WeightsCommand, ReadsAPolicyFromAFile) {
  const std::string policy = Write(
      "policy.yaml",
      "apiVersion: batch.evenkeel.dev/v1alpha1\nkind: WeightingPolicy\nmetadata: {name: by-ram}\n"
      "spec: {criteria: [{name: ram, labels: [hardware.evenkeel.dev/ram-mib], kind: Numeric, "
      "exponent: 1}]}\n");
  const Outcome outcome = RunWith({kNodes + "pi-trio.yaml", policy, true});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["policy"], "by-ram");
  EXPECT_EQ(document["nodes"][0]["ratio"], 2.0);
}

TEST_F(WeightsCommand, BadInputIsOneLineAndExitCodeTwo) {
  const std::string job = Write("job.yaml", "kind: Job\napiVersion: v1\n");
  const struct {
    WeightsOptions options;
    std::string want;
  } cases[] = {
      {{folder_ + "/none.yaml", "default", false}, folder_ + "/none.yaml: there is no such file\n"},
      {{"/dev/zero", "default", false}, "/dev/zero: must have at most 268435456 bytes\n"},
      {{folder_, "default", false}, folder_ + ": is a folder, must be a file\n"},
      {{job, "default", false}, job + ": kind: must be one of List, NodeList, Node, is \"Job\"\n"},
      {{kNodes + "pi-trio.yaml", "papers", false},
       "--policy: must be default, paper or a file, papers: there is no such file\n"},
      {{kNodes + "pi-trio.yaml", job, true},
       job + ": apiVersion: must be batch.evenkeel.dev/v1alpha1, is \"v1\"\n"},
  };
  for (const auto& bad : cases) {
    const Outcome outcome = RunWith(bad.options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "evenkeel: " + std::string(bad.want));
  }
}

}  // namespace
}  // namespace evenkeel::cli
