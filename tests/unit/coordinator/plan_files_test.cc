#include "coordinator/service/plan_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "tests/unit/report/temporary_folder.h"
#include "workloads/built_in.h"

namespace evenkeel::coordinator {
namespace {

Result<std::optional<ServiceOptions>> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "evenkeel-coordinator");
  return ParseServiceOptions(static_cast<int>(words.size()), words.data());
}

const std::vector<const char*> kEnough = {"--job",
                                          "j",
                                          "--nodes",
                                          "n",
                                          "--folder",
                                          "f",
                                          "--tls-ca",
                                          "a",
                                          "--tls-cert",
                                          "c",
                                          "--tls-key",
                                          "k",
                                          "--control-token-file",
                                          "t",
                                          "--namespace",
                                          "lab"};

std::vector<const char*> EnoughAnd(const char* option, const char* value) {
  auto words = kEnough;
  words.push_back(option);
  words.push_back(value);
  return words;
}

TEST(ServiceOptions, HaveTheClustersPorts) {
  const auto options = Parse(kEnough);
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->listen, "0.0.0.0:7400");
  EXPECT_EQ((*options)->health_listen, "0.0.0.0:7401");
  EXPECT_EQ((*options)->probe_listen, "0.0.0.0:7405");
  EXPECT_EQ((*options)->control_listen, "0.0.0.0:7402");
  EXPECT_EQ((*options)->pages_listen, "127.0.0.1:7403");
  EXPECT_EQ((*options)->tls_key, "k");
}

TEST(ServiceOptions, WhatIsMissingOrUnknownIsOneLine) {
  for (const auto& words : {std::vector<const char*>{}, std::vector<const char*>{"--job", "j"},
                            EnoughAnd("--colour", "red")}) {
    const auto options = Parse(words);
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(options.error().message.find('\n'), std::string::npos);
  }
}

TEST(ServiceOptions, PagesAreForThisHostOnly) {
  EXPECT_TRUE(Parse(EnoughAnd("--pages-listen", "[::1]:7403")));
  for (const char* open : {"0.0.0.0:7403", "10.0.0.1:7403", "[::]:7403", ":7403"}) {
    EXPECT_FALSE(Parse(EnoughAnd("--pages-listen", open))) << open;
  }
}

void ExpectBadNodes(const std::string& text, const std::string& want) {
  const auto nodes = ParsePlannedNodes(text, "nodes.json");
  ASSERT_FALSE(nodes) << text;
  EXPECT_EQ(nodes.error().message.rfind("nodes.json: ", 0), 0U) << nodes.error().message;
  EXPECT_NE(nodes.error().message.find(want), std::string::npos) << nodes.error().message;
}

TEST(PlannedNodes, HaveNamesAndRatios) {
  const auto nodes = ParsePlannedNodes(
      R"([{"name": "pi4a", "ratio": 4.25, "weight": 5}, {"name": "pi3", "ratio": 1, "new": {}}])",
      "nodes.json");
  ASSERT_TRUE(nodes) << nodes.error().message;
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ((*nodes)[0].name, "pi4a");
  EXPECT_EQ((*nodes)[0].ratio, 4.25);
  EXPECT_EQ((*nodes)[1].ratio, 1.0);
}

TEST(PlannedNodes, MayHaveARateThatIsExpected) {
  const auto nodes = ParsePlannedNodes(
      R"([{"name": "a", "ratio": 2, "rate": 81.5, "sigma": 0.1, "parts": {}},
          {"name": "b", "ratio": 1}])",
      "nodes.json");
  ASSERT_TRUE(nodes) << nodes.error().message;
  EXPECT_EQ((*nodes)[0].rate, 81.5);
  EXPECT_EQ((*nodes)[0].sigma, 0.1);
  EXPECT_EQ((*nodes)[1].rate, std::nullopt);
  EXPECT_EQ((*nodes)[1].sigma, std::nullopt);
}

TEST(PlannedNodes, MayHavePowerAndMayBeLeftOut) {
  const auto nodes = ParsePlannedNodes(
      R"([{"name": "a", "ratio": 4, "powerWatts": 6.4, "idlePowerWatts": 2.7},
          {"name": "b", "ratio": 1, "leftOut": true}])",
      "nodes.json");
  ASSERT_TRUE(nodes) << nodes.error().message;
  EXPECT_EQ((*nodes)[0].power, (model::NodePower{6.4, 2.7}));
  EXPECT_FALSE((*nodes)[0].left_out);
  EXPECT_EQ((*nodes)[1].power, std::nullopt);
  EXPECT_TRUE((*nodes)[1].left_out);
  ExpectBadNodes(R"([{"name": "a", "ratio": 1, "leftOut": true}])", "leaves out all");
  ExpectBadNodes(R"([{"name": "a", "ratio": 1, "powerWatts": 0}])", "[0].powerWatts");
  ExpectBadNodes(R"([{"name": "a", "ratio": 1, "powerWatts": 5, "idlePowerWatts": 6}])",
                 "[0].idlePowerWatts");
}

TEST(PlannedNodes, NonsenseIsRefused) {
  ExpectBadNodes(R"([{"name": "a", "ratio": 1, "rate": 0}])", "[0].rate");
  ExpectBadNodes(R"([{"name": "a", "ratio": 1, "rate": "fast"}])", "[0].rate");
  ExpectBadNodes(R"([{"name": "a", "ratio": 1, "sigma": 0}])", "[0].sigma");
  ExpectBadNodes("[]", "1 to 10000");
  ExpectBadNodes("{}", "1 to 10000");
  ExpectBadNodes("[1]", "[0]");
  ExpectBadNodes(R"([{"ratio": 1}])", "[0].name");
  ExpectBadNodes(R"([{"name": "a"}])", "[0].ratio");
  ExpectBadNodes(R"([{"name": "a", "ratio": 0}])", "[0].ratio");
  ExpectBadNodes(R"([{"name": "a", "ratio": -1}])", "[0].ratio");
  ExpectBadNodes(R"([{"name": "a", "ratio": 1e7}])", "[0].ratio");
  ExpectBadNodes(R"([{"name": "A b", "ratio": 1}])", "[0].name");
  ExpectBadNodes(R"([{"name": "a", "ratio": 1}, {"name": "a", "ratio": 2}])", "twice");
}

class ReadPlanTest : public testing::Test {
 protected:
  ReadPlanTest() {
    Put(options_.job_file, "job.json",
        R"({"apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
            "metadata": {"name": "primes"}, "spec": {"workload": {"primes": {"end": 1000}}}})");
    Put(options_.nodes_file, "nodes.json", R"([{"name": "a", "ratio": 1}])");
    Put(options_.tls_ca, "ca", "ca");
    Put(options_.tls_certificate, "cert", "cert");
    Put(options_.tls_key, "key", "key");
    Put(options_.control_token_file, "token", "0123456789abcdef\n");
  }
  void Put(std::string& option, const std::string& name, const std::string& text) {
    option = (folder_.Path() / name).string();
    std::ofstream(option) << text;
  }
  void ExpectRefused(const std::string& want) {
    const auto plan = ReadPlan(options_, workloads::BuiltInWorkloads());
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(plan.error().message.find(want), std::string::npos) << plan.error().message;
  }

  report::TemporaryFolder folder_;
  ServiceOptions options_;
};

TEST_F(ReadPlanTest, ReadsAllOfIt) {
  const auto plan = ReadPlan(options_, workloads::BuiltInWorkloads());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->version->spec().name, "primes");
  EXPECT_EQ(plan->version->workload()->Name(), "primes");
  EXPECT_EQ(plan->nodes.size(), 1U);
  EXPECT_EQ(plan->tls.key_pem, "key");
  EXPECT_EQ(plan->control_tokens, std::vector<std::string>{"0123456789abcdef"});
}

TEST_F(ReadPlanTest, NamesTheFileThatIsWrong) {
  const ServiceOptions good = options_;
  options_.job_file += "x";
  ExpectRefused("job.jsonx: there is no such file");
  options_ = good;
  Put(options_.job_file, "job.json", "kind: Pod");
  ExpectRefused("job.json: ");
  options_ = good;
  Put(options_.job_file, "job.json", "");
  ExpectRefused("job.json: is empty");
}

TEST_F(ReadPlanTest, AWeakOrUnreadableTokenIsRefused) {
  Put(options_.control_token_file, "token", "short");
  ExpectRefused("at least 16");
  Put(options_.control_token_file, "token", "0123456789 abcdef");
  ExpectRefused("printable");
  Put(options_.control_token_file, "token", std::string(5000, 'x'));
  ExpectRefused("must have at most 4096 bytes, has 5000");
}

TEST_F(ReadPlanTest, InputsMustBeAFolder) {
  options_.inputs = options_.job_file;
  ExpectRefused("--inputs");
  options_.inputs = folder_.Path().string();
  EXPECT_TRUE(ReadPlan(options_, workloads::BuiltInWorkloads()));
}

TEST_F(ReadPlanTest, InputsAreReadInTheirFolderOnly) {
  Put(options_.job_file, "job.json",
      R"({"apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
          "metadata": {"name": "names"}, "spec": {"inputs": {"configMap": "files"}, "workload":
          {"command": {"image": "a:1", "command": ["x"], "argumentsFile": "names"}}}})");
  const auto inputs = folder_.Path() / "inputs";
  std::filesystem::create_directory(inputs);
  options_.inputs = inputs.string();
  std::filesystem::create_symlink("../token", inputs / "names");
  ExpectRefused("names: leads out of the folder of the job's inputs");
  std::filesystem::remove(inputs / "names");
  std::ofstream(inputs / "names") << "a\n";
  const auto plan = ReadPlan(options_, workloads::BuiltInWorkloads());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->version->workload()->TaskCount(), 1);
}

}  // namespace
}  // namespace evenkeel::coordinator
