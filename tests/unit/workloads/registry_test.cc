#include "workloads/registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

TEST(Registry, NamesAreInOrderAndEachMakesItsWorkload) {
  const auto names = WorkloadNames();
  EXPECT_EQ(names, (std::vector<std::string>{"command", "matmul", "parameterEstimation", "primes",
                                             "switchSimulation", "synthetic"}));
  EXPECT_EQ(MakeOrFail("primes", R"({"end": 10})")->Name(), "primes");
  EXPECT_EQ(MakeOrFail("synthetic", R"({"tasks": 1, "mode": "None"})")->Name(), "synthetic");
}

TEST(Registry, AnUnknownNameSaysWhichThereAre) {
  EXPECT_EQ(ParameterError("prime", "{}"),
            "spec.workload.prime: must be one of command, matmul, parameterEstimation, primes, "
            "switchSimulation, synthetic");
  EXPECT_EQ(ParameterError("a\nb", "{}"),
            "spec.workload.a\\nb: must be one of command, matmul, parameterEstimation, primes, "
            "switchSimulation, synthetic");
}

TEST(Registry, ParametersHaveToBeAnObject) {
  EXPECT_EQ(ParameterError("primes", "{end: 10"), "spec.workload.primes: is not JSON");
  EXPECT_EQ(ParameterError("primes", "[1]"), "spec.workload.primes: must be an object, is a list");
}

}  // namespace
}  // namespace evenkeel::workloads
