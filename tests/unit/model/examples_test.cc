#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/model/job_parsing.h"
#include "core/model/node_parsing.h"
#include "core/model/policy_parsing.h"

namespace evenkeel::model {
namespace {

std::string TextOf(const std::string& file) {
  std::ifstream stream(EVENKEEL_SOURCE_DIR "/" + file);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(Examples, JobsCanBeRead) {
  for (const char* name : {"command-after", "command-arguments", "command-echo", "command-failing",
                           "command-file", "command-files", "command-policies", "command-reduce",
                           "estimate-elliptic", "estimate-own-graph", "matmul-files",
                           "matmul-random", "matmul-rows", "primes", "primes-paper", "switch-small",
                           "switch-sweep", "synthetic-sixteen", "synthetic-sixteen-known"}) {
    const std::string file = std::string("examples/") + name + ".yaml";
    const auto job = ParseJob(TextOf(file), file);
    ASSERT_TRUE(job.has_value()) << job.error().message;
    EXPECT_EQ(job->name, name);
  }
}

TEST(Examples, NodesHaveTheirSpeeds) {
  const auto trio = ParseNodes(TextOf("examples/nodes/pi-trio.yaml"), "pi-trio.yaml");
  ASSERT_TRUE(trio.has_value()) << trio.error().message;
  ASSERT_EQ(trio->size(), 3u);
  EXPECT_EQ((*trio)[0].emulated_speed, 0.40);
  EXPECT_EQ((*trio)[2].emulated_speed, 0.0937);
  for (const char* file :
       {"examples/nodes/sixteen.yaml", "examples/nodes/sixteen-upside-down.yaml"}) {
    const auto sixteen = ParseNodes(TextOf(file), file);
    ASSERT_TRUE(sixteen.has_value()) << sixteen.error().message;
    double sum = 0;
    for (const NodeProfile& node : *sixteen) sum += node.emulated_speed.value_or(0);
    EXPECT_NEAR(sum, 4 * 4.3 + 8 * 2.0 + 4 * 1.0, 1e-9) << file;
  }
}

TEST(Examples, ThePolicyInTheManualCanBeRead) {
  const std::string manual = TextOf("docs/weights.md");
  const std::size_t begin = manual.find("```yaml\n") + 8;
  const auto policy =
      ParsePolicy(manual.substr(begin, manual.find("```", begin) - begin), "docs/weights.md");
  ASSERT_TRUE(policy.has_value()) << policy.error().message;
  EXPECT_EQ(policy->criteria.size(), 3u);
}

}  // namespace
}  // namespace evenkeel::model
