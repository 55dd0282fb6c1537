#include <gtest/gtest.h>

#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

TEST(SyntheticParameters, EachMistakeIsOneClearLine) {
  const std::vector<ErrorCase> cases{
      {R"({"cost": {"constant": 1}})",
       "tasks: is missing, must be a whole number from 1 to 100000000"},
      {R"({"tasks": 0, "cost": {"constant": 1}})",
       "tasks: must be a whole number from 1 to 100000000, is 0"},
      {R"({"tasks": 100000001, "mode": "None"})",
       "tasks: must be a whole number from 1 to 100000000, is 100000001"},
      {R"({"tasks": 10000001, "cost": {"constant": 1}})",
       "tasks: must be at most 10000000 unless costsKnown is false or mode is None, is 10000001"},
      {R"({"tasks": 3, "cost": {}})",
       "cost: must have exactly one of constant, uniform, exponential, increasing, list"},
      {R"({"tasks": 3, "cost": {"constant": 1, "list": [1]}})",
       "cost: must have exactly one of constant, uniform, exponential, increasing, list"},
      {R"({"tasks": 3, "cost": {"constant": -1}})",
       "cost.constant: must be a number from 0 to 86400, is -1"},
      {R"({"tasks": 3, "cost": {"constant": 86401}})",
       "cost.constant: must be a number from 0 to 86400, is 86401"},
      {R"({"tasks": 3, "cost": {"uniform": [2, 1]}})",
       "cost.uniform: must be two numbers [a, b] with a <= b"},
      {R"({"tasks": 3, "cost": {"increasing": [2]}})",
       "cost.increasing: must be two numbers [a, b] with a <= b"},
      {R"({"tasks": 3, "cost": {"exponential": {"mean": "x"}}})",
       "cost.exponential.mean: must be a number from 0 to 86400, is \"x\""},
      {R"({"tasks": 3, "cost": {"exponential": -1}})",
       "cost.exponential: must be a number from 0 to 86400, is -1"},
      {R"({"cost": {"list": []}})", "cost.list: must have at least one number"},
      {R"({"tasks": 3, "cost": {"list": [1, 2]}})",
       "tasks: must be left out or 2, the length of cost.list, is 3"},
      {R"({"tasks": 10000000, "cost": {"constant": 86400}})",
       "cost: must be less: all tasks together may take more than 292 years"},
      {R"({"tasks": 3, "mode": "none"})", "mode: must be one of Sleep, Spin, None, is \"none\""},
      {R"({"tasks": 3, "mode": "None", "seed": -1})",
       "seed: must be a whole number from 0 to 9223372036854775807, is -1"},
      {R"({"tasks": 3, "mode": "None", "costsKnown": "no"})",
       "costsKnown: must be true or false, is \"no\""},
  };
  ExpectRefused("synthetic", cases);
}

TEST(SyntheticParameters, FieldsInsideAreNamedToo) {
  for (const auto& [parameters, field] : std::vector<std::pair<std::string, std::string>>{
           {R"({"tasks": 3})", "cost"},
           {R"({"tasks": 3, "mode": "None", "failing": [3]})", "failing"},
           {R"({"tasks": 3, "cost": {"uniform": [1, -2]}})", "cost.uniform"},
           {R"({"tasks": 3, "cost": {"constant": 1, "mean": 2}})", "cost.mean"},
           {R"({"tasks": 3, "mode": "None", "sed": 1})", "sed"}}) {
    const std::string error = ParameterError("synthetic", parameters);
    EXPECT_EQ(error.rfind("spec.workload.synthetic." + field, 0), 0u) << error;
  }
}

TEST(SyntheticParameters, ModeNoneNeedsNoCost) {
  EXPECT_EQ(ParameterError("synthetic", R"({"tasks": 3, "mode": "None"})"), "");
  EXPECT_EQ(ParameterError("synthetic", R"({"tasks": 3, "mode": "None", "cost": {"constant": 1}})"),
            "");
}

}  // namespace
}  // namespace evenkeel::workloads
