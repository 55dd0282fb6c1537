#include "workloads/registry.h"

#include <gtest/gtest.h>

#include "tests/unit/workloads/job_run.h"
#include "workloads/built_in.h"

namespace evenkeel::workloads {
namespace {

constexpr const char* kBuiltIn =
    "command, custom, matmul, parameterEstimation, primes, switchSimulation, synthetic";

/// A custom workload that reports errors in its parameters.
Result<std::shared_ptr<const Workload>> MakeRows(const model::FieldReader& parameters,
                                                 const WorkloadContext&) {
  model::FieldReader fields = parameters;
  const std::int64_t rows = fields.RequiredInt("rows", {1, 9});
  if (const auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return BuiltInWorkloads().Make(
      "synthetic", R"({"tasks": )" + std::to_string(rows) + R"(, "mode": "None"})", {});
}

const std::vector<Registration> kOwn{{"rows", 7, &MakeRows}, {"columns", 1, &MakeRows}};

std::string ErrorOf(const Registry& registry, const std::string& name, const char* parameters) {
  const auto made = registry.Make(name, parameters, {});
  return made ? "" : made.error().message;
}

TEST(Registry, NamesAreInOrderAndEachMakesItsWorkload) {
  EXPECT_EQ(BuiltInWorkloads().Names(),
            (std::vector<std::string>{"command", "matmul", "parameterEstimation", "primes",
                                      "switchSimulation", "synthetic"}));
  EXPECT_EQ(MakeOrFail("primes", R"({"end": 10})")->Name(), "primes");
  EXPECT_EQ(MakeOrFail("synthetic", R"({"tasks": 1, "mode": "None"})")->Name(), "synthetic");
}

TEST(Registry, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(ParameterError("prime", "{}"),
            std::string("spec.workload.prime: must be one of ") + kBuiltIn);
  EXPECT_EQ(ParameterError("a\nb", "{}"),
            std::string("spec.workload.a\\nb: must be one of ") + kBuiltIn);
}

TEST(Registry, ParametersHaveToBeAnObject) {
  EXPECT_EQ(ParameterError("primes", "{end: 10"), "spec.workload.primes: is not JSON");
  EXPECT_EQ(ParameterError("primes", "[1]"), "spec.workload.primes: must be an object, is a list");
}

TEST(Registry, OwnWorkloadsStandBelowCustom) {
  const Registry both = BuiltInWorkloads(kOwn);
  EXPECT_EQ(both.VersionOf("custom.rows"), 7U);
  EXPECT_EQ((*both.Make("custom.rows", R"({"rows": 3})", {}))->TaskCount(), 3);
  EXPECT_EQ((*both.Make("primes", R"({"end": 10})", {}))->Name(), "primes");
  EXPECT_EQ(ErrorOf(both, "custom.rows", R"({"rows": 0})"),
            "spec.workload.custom.rows.rows: must be a whole number from 1 to 9, is 0");
}

TEST(Registry, BuiltInOnesAndOnesOwnAreToldApart) {
  const Registry both = BuiltInWorkloads(kOwn);
  EXPECT_EQ(ErrorOf(both, "rows", "{}"),
            std::string("spec.workload.rows: must be one of ") + kBuiltIn);
  EXPECT_EQ(ErrorOf(both, "custom.primes", "{}"),
            "spec.workload.custom.primes: must be one of columns, rows");
  EXPECT_EQ(ErrorOf(BuiltInWorkloads(), "custom.rows", "{}"),
            "spec.workload.custom.rows: there is no such workload, this program has built-in ones "
            "only");
}

TEST(Registry, OnesOwnDoWithoutTheBuiltInOnes) {
  const Registry own(kOwn);
  EXPECT_EQ(own.Names(), (std::vector<std::string>{"custom.columns", "custom.rows"}));
  EXPECT_EQ(ErrorOf(own, "primes", "{}"), "spec.workload.primes: must be one of custom");
}

TEST(RegistryDeathTest, NamesAreGoodAndDiffer) {
  EXPECT_DEATH(Registry({{"Rows", 1, &MakeRows}}), "letters and digits");
  EXPECT_DEATH(Registry({{"my.rows", 1, &MakeRows}}), "letters and digits");
  EXPECT_DEATH(Registry({{"rows", 1, &MakeRows}, {"rows", 2, &MakeRows}}), "different names");
  EXPECT_DEATH(Registry({{"rows", 1, nullptr}}), "can be made");
}

}  // namespace
}  // namespace evenkeel::workloads
