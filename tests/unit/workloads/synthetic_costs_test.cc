#include <gtest/gtest.h>

#include "tests/unit/workloads/job_run.h"
#include "workloads/synthetic/task_costs.h"

namespace evenkeel::workloads {
namespace {

model::Cost CostOf(const Workload& workload, model::TaskIndex task) {
  return workload.TrueCosts()->Of({task, task + 1});
}

TEST(SyntheticCosts, ConstantAndIncreasingAndListed) {
  const auto constant = MakeOrFail("synthetic", R"({"tasks": 3, "cost": {"constant": 0.25}})");
  EXPECT_EQ(constant->Costs()->Total(), 750'000'000);
  const auto increasing =
      MakeOrFail("synthetic", R"({"tasks": 5, "cost": {"increasing": [1, 3]}})");
  for (const model::TaskIndex task : {0, 1, 2, 3, 4}) {
    EXPECT_EQ(CostOf(*increasing, task), 1'000'000'000 + task * 500'000'000);
  }
  EXPECT_EQ(CostOf(*MakeOrFail("synthetic", R"({"tasks": 1, "cost": {"increasing": [1, 3]}})"), 0),
            1'000'000'000);
  const auto listed = MakeOrFail("synthetic", R"({"cost": {"list": [0.5, 0, 2e-9]}})");
  EXPECT_EQ(listed->TaskCount(), 3);
  EXPECT_EQ(CostOf(*listed, 0), 500'000'000);
  EXPECT_EQ(CostOf(*listed, 1), 0);
  EXPECT_EQ(CostOf(*listed, 2), 2);
}

/// These numbers are part of what a job means: they change only together with Version().
TEST(SyntheticCosts, DrawsAreTheSameForEver) {
  EXPECT_EQ(synthetic::TaskHash(1, 0), 0x5e41ab087439611eULL);
  EXPECT_EQ(synthetic::TaskHash(1, 767), 0xc97f22b047049762ULL);
  EXPECT_EQ(synthetic::TaskHash(2, 0), 0x64684c4f0fd784b4ULL);
  const auto uniform =
      MakeOrFail("synthetic", R"({"tasks": 768, "cost": {"uniform": [0.1942, 0.939]}, "seed": 1})");
  EXPECT_EQ(CostOf(*uniform, 0), 474987787);
  EXPECT_EQ(CostOf(*uniform, 767), 733861917);
  EXPECT_EQ(uniform->Costs()->Total(), 436352024211);
  const auto exponential =
      MakeOrFail("synthetic", R"({"tasks": 768, "cost": {"exponential": 0.5}, "seed": 7})");
  EXPECT_EQ(CostOf(*exponential, 0), 1035387456);
  EXPECT_EQ(CostOf(*exponential, 767), 191149404);
}

TEST(SyntheticCosts, DrawsDependOnSeedAndIndexOnly) {
  const auto few = MakeOrFail("synthetic", R"({"tasks": 10, "cost": {"uniform": [1, 2]}})");
  const auto many = MakeOrFail("synthetic", R"({"tasks": 1000, "cost": {"uniform": [1, 2]}})");
  const auto other =
      MakeOrFail("synthetic", R"({"tasks": 10, "cost": {"uniform": [1, 2]}, "seed": 2})");
  for (model::TaskIndex task = 0; task < 10; ++task) {
    EXPECT_EQ(CostOf(*few, task), CostOf(*many, task));
    EXPECT_NE(CostOf(*few, task), CostOf(*other, task));
  }
}

TEST(SyntheticCosts, DrawsFollowTheirDistribution) {
  const auto uniform = MakeOrFail("synthetic", R"({"tasks": 10000, "cost": {"uniform": [1, 2]}})");
  for (model::TaskIndex task = 0; task < uniform->TaskCount(); ++task) {
    ASSERT_GE(CostOf(*uniform, task), 1'000'000'000);
    ASSERT_LE(CostOf(*uniform, task), 2'000'000'000);
  }
  // Means of 10,000 draws: standard deviations 0.0029 and 0.01 of the mean.
  EXPECT_NEAR(static_cast<double>(uniform->Costs()->Total()) / 1e13, 1.5, 0.015);
  const auto exponential =
      MakeOrFail("synthetic", R"({"tasks": 10000, "cost": {"exponential": {"mean": 1}}})");
  EXPECT_NEAR(static_cast<double>(exponential->Costs()->Total()) / 1e13, 1.0, 0.05);
}

TEST(SyntheticCosts, NoDrawIsLongerThanADay) {
  const auto costs =
      MakeOrFail("synthetic", R"({"tasks": 1000, "cost": {"exponential": 80000}})")->Costs();
  EXPECT_EQ(costs->Longest(), 86'400'000'000'000);
}

TEST(SyntheticCosts, MayBeWithheldFromTheScheduler) {
  const auto hidden =
      MakeOrFail("synthetic", R"({"tasks": 4, "cost": {"constant": 0.5}, "costsKnown": false})");
  EXPECT_FALSE(hidden->Costs()->Known());
  EXPECT_EQ(hidden->Costs()->Total(), 4);
  EXPECT_EQ(hidden->TrueCosts()->Total(), 2'000'000'000);
  EXPECT_EQ(hidden->DeclaredUnitsPerSecond(), 1e9);
  EXPECT_TRUE(hidden->Sleeps());
}

TEST(SyntheticCosts, OfTasksThatDoNothingAreUnits) {
  const auto none = MakeOrFail("synthetic", R"({"tasks": 100000000, "mode": "None"})");
  EXPECT_FALSE(none->Costs()->Known());
  EXPECT_EQ(none->TrueCosts()->Total(), 100'000'000);
  EXPECT_EQ(none->DeclaredUnitsPerSecond(), 0.0);
  EXPECT_FALSE(none->Sleeps());
}

TEST(SyntheticCosts, OfVeryManyTasksHaveNoTable) {
  const auto many = MakeOrFail(
      "synthetic", R"({"tasks": 100000000, "cost": {"constant": 1e-6}, "costsKnown": false})");
  EXPECT_EQ(many->TrueCosts()->Total(), 100'000'000) << "tasks";
  EXPECT_EQ(many->DeclaredUnitsPerSecond(), 0.0) << "a unit is a task: not a matter of definition";
}

}  // namespace
}  // namespace evenkeel::workloads
