#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/unit/workloads/job_run.h"
#include "workloads/switch_simulation/switch_simulation.h"

namespace evenkeel::workloads {
namespace {

using switch_simulation::Algorithm;
using switch_simulation::SwitchSpec;

TEST(SwitchParameters, EachMistakeIsOneClearLine) {
  const std::vector<ErrorCase> cases{
      {R"({"bufferSizes": [1]})", "loads: must have at least one value"},
      {R"({"loads": [0.5]})", "bufferSizes: must have at least one value"},
      {R"({"loads": [], "bufferSizes": [1]})", "loads: must have at least one value"},
      {R"({"loads": 0.5, "bufferSizes": [1]})", "loads: must be a list of at most 64, is 0.5"},
      {R"({"loads": [0.5, 0], "bufferSizes": [1]})",
       "loads[1]: must be a number above 0, at most 1, is 0"},
      {R"({"loads": [1.01], "bufferSizes": [1]})",
       "loads[0]: must be a number above 0, at most 1, is 1.01"},
      {R"({"loads": ["high"], "bufferSizes": [1]})",
       "loads[0]: must be a number above 0, at most 1, is \"high\""},
      {R"({"loads": [0.5, 0.7, 0.5], "bufferSizes": [1]})", "loads: must not have a value twice"},
      {R"({"loads": [0.5], "bufferSizes": [0]})",
       "bufferSizes[0]: must be a whole number from 1 to 1048576, is 0"},
      {R"({"loads": [0.5], "bufferSizes": [2, 2]})", "bufferSizes: must not have a value twice"},
      {R"({"loads": [0.5], "bufferSizes": [16385]})",
       "bufferSizes: must be at most 16384 with 16 ports, is 16385"},
      {R"({"loads": [0.5], "bufferSizes": [4097], "ports": 32})",
       "bufferSizes: must be at most 4096 with 32 ports, is 4097"},
      {R"({"loads": [0.5], "bufferSizes": [1], "ports": 1})",
       "ports: must be a whole number from 2 to 32, is 1"},
      {R"({"loads": [0.5], "bufferSizes": [1], "ports": 33})",
       "ports: must be a whole number from 2 to 32, is 33"},
      {R"({"loads": [0.5], "bufferSizes": [1], "slots": 0})",
       "slots: must be a whole number from 1 to 100000000, is 0"},
      {R"({"loads": [0.5], "bufferSizes": [1], "slots": 100000001})",
       "slots: must be a whole number from 1 to 100000000, is 100000001"},
      {R"({"loads": [0.5], "bufferSizes": [1], "algorithms": []})",
       "algorithms: must have at least one value"},
      {R"({"loads": [0.5], "bufferSizes": [1], "algorithms": ["RR", "FIFO"]})",
       "algorithms[1]: must be one of LQF, RR, ERR, FBRR, EELQF, ELQF, FBLQF, RAND, is \"FIFO\""},
      {R"({"loads": [0.5], "bufferSizes": [1], "algorithms": ["RR", "RR"]})",
       "algorithms: must not have a value twice"},
      {R"({"loads": [0.5], "bufferSizes": [1], "seeds": []})",
       "seeds: must have at least one value"},
      {R"({"loads": [0.5], "bufferSizes": [1], "seeds": [-1]})",
       "seeds[0]: must be a whole number from 0 to 9223372036854775807, is -1"},
  };
  ExpectRefused("switchSimulation", cases);
}

std::string ListTo(int count, double step) {
  std::string list;
  for (int n = 1; n <= count; ++n) list += (n > 1 ? "," : "") + std::to_string(n * step);
  return "[" + list + "]";
}

std::string WholeListTo(int count) {
  std::string list;
  for (int n = 1; n <= count; ++n) list += (n > 1 ? "," : "") + std::to_string(n);
  return "[" + list + "]";
}

TEST(SwitchParameters, TheNumberOfTasksIsBounded) {
  const std::string lists =
      R"({"loads": )" + ListTo(64, 0.01) + R"(, "bufferSizes": )" + WholeListTo(64);
  EXPECT_EQ(ParameterError("switchSimulation", lists + R"(, "seeds": [1, 2, 3, 4]})"),
            "spec.workload.switchSimulation.loads: must be fewer: loads x bufferSizes x algorithms "
            "x seeds are 131072 tasks, at most 100000 are allowed");
  EXPECT_EQ(MakeOrFail("switchSimulation", lists + R"(, "seeds": [1, 2, 3]})")->TaskCount(), 98304);
  EXPECT_NE(ParameterError("switchSimulation",
                           R"({"bufferSizes": [1], "loads": )" + ListTo(65, 0.01) + "}"),
            "");
}

TEST(SwitchParameters, AnUnknownFieldIsNamed) {
  const std::string error = ParameterError(
      "switchSimulation", R"({"loads": [1], "bufferSizes": [1], "algorithm": "RR"})");
  EXPECT_NE(error.find("spec.workload.switchSimulation.algorithm: "), std::string::npos) << error;
}

TEST(SwitchParameters, TheSweepOfThePaperHas3072Tasks) {
  const auto workload =
      MakeOrFail("switchSimulation", R"({"loads": )" + ListTo(32, 0.03125) +
                                         R"(, "bufferSizes": )" + WholeListTo(12) + "}");
  EXPECT_EQ(workload->TaskCount(), 3072);
}

SwitchSpec SmallSpec() {
  SwitchSpec spec;
  spec.loads = {0.5, 0.25, 1};
  spec.buffer_sizes = {4, 1};
  spec.algorithms = {Algorithm::kRr, Algorithm::kLqf, Algorithm::kRand};
  spec.seeds = {7, 8};
  return spec;
}

TEST(SwitchGrid, EveryCombinationIsOneTask) {
  const SwitchSpec spec = SmallSpec();
  ASSERT_EQ(TaskCountOf(spec), 36);
  for (model::TaskIndex index = 0; index < 36; ++index) {
    const auto place = PlaceOf(spec, index);
    ASSERT_LT(place.seed, 2u);
    ASSERT_LT(place.load, 3u);
    ASSERT_LT(place.buffer_size, 2u);
    ASSERT_LT(place.algorithm, 3u);
    ASSERT_EQ(IndexOf(spec, place), index);
  }
  EXPECT_EQ(PlaceOf(spec, 1).algorithm, 1u);
  EXPECT_EQ(PlaceOf(spec, 3).buffer_size, 1u);
  EXPECT_EQ(PlaceOf(spec, 6).load, 1u);
  EXPECT_EQ(PlaceOf(spec, 18).seed, 1u);
}

TEST(SwitchCosts, GrowWithSlotsPortsAndLoad) {
  SwitchSpec spec = SmallSpec();
  const auto costs = TaskCosts(spec);
  ASSERT_EQ(costs.size(), 36u);
  for (const Algorithm algorithm : switch_simulation::kAllAlgorithms) {
    const model::Cost cost = TaskCost(spec, algorithm, 0.5);
    EXPECT_GT(TaskCost(spec, algorithm, 0.9), cost);
    SwitchSpec twice = spec;
    twice.slots *= 2;
    EXPECT_NEAR(static_cast<double>(TaskCost(twice, algorithm, 0.5)),
                2.0 * static_cast<double>(cost), 2);
    twice = spec;
    twice.ports *= 2;
    EXPECT_NEAR(static_cast<double>(TaskCost(twice, algorithm, 0.5)),
                2.0 * static_cast<double>(cost), 2);
  }
  // The total cost of the most expensive job that is allowed fits.
  spec.ports = 32;
  spec.slots = switch_simulation::kMaxSlots;
  const model::Cost most = TaskCost(spec, Algorithm::kRand, 1);
  EXPECT_LT(most, std::numeric_limits<model::Cost>::max() / switch_simulation::kMaxTasks);
}

}  // namespace
}  // namespace evenkeel::workloads
