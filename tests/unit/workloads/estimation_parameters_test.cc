#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/workloads/estimation_case.h"
#include "tests/unit/workloads/job_run.h"

namespace evenkeel::workloads {
namespace {

constexpr const char* kWorkload = "parameterEstimation";

/// With this list of operations and one type of unit that does x.
std::string Operations(const std::string& list) {
  return R"({"units": [{"name": "u", "kinds": ["x"], "max": 2}], "operations": [)" + list + "]}";
}
/// With the units of Diffeq as they are written here.
std::string Units(const std::string& list) {
  return R"({"graph": "Diffeq", "units": [)" + list + "]}";
}
constexpr const char* kAlu =
    R"({"name": "alu", "kinds": ["add", "subtract", "compare"], "max": 2})";
constexpr const char* kMultiplier = R"({"name": "mul", "kinds": ["multiply"], "max": 3})";

TEST(EstimationParameters, EachMistakeInAFieldIsOneClearLine) {
  const std::string both = std::string(kAlu) + "," + kMultiplier;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{}", "units: must have at least one type of unit"},
      {R"({"graph": "Fir", "units": []})",
       "graph: must be one of Diffeq, EllipticWaveFilter, Fir16, ArLattice, is \"Fir\""},
      {Units(""), "units: must have at least one type of unit"},
      {Units(R"({"kinds": ["add"], "max": 1})"),
       "units[0].name: is missing, must be text of 1 to 63 bytes"},
      {Units(R"({"name": "a b", "kinds": ["add"], "max": 1})"),
       "units[0].name: must be 1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at "
       "both ends"},
      {Units(R"({"name": "a", "kinds": [], "max": 1})"),
       "units[0].kinds: must have at least one kind of operation"},
      {Units(R"({"name": "a", "kinds": ["add"]})"),
       "units[0].max: is missing, must be a whole number from 1 to 64"},
      {Units(R"({"name": "a", "kinds": ["add"], "max": 65})"),
       "units[0].max: must be a whole number from 1 to 64, is 65"},
      {Units(R"({"name": "a", "kinds": ["add"], "max": 1, "min": 0})"),
       "units[0].min: must be a whole number from 1 to 64, is 0"},
      {Units(R"({"name": "a", "kinds": ["add"], "max": 1, "cycles": 0})"),
       "units[0].cycles: must be a whole number from 1 to 64, is 0"},
      {Units(R"({"name": "a", "kinds": ["add"], "max": 1, "area": -1})"),
       "units[0].area: must be a whole number from 0 to 1000000000, is -1"},
      {Units(R"({"name": "a", "kinds": ["add"], "max": 1, "speed": 1})"),
       "units[0].speed: unknown field, known are name, kinds, min, max, cycles, pipelined, area, "
       "energyPicojoules, idleMicrowatts"},
      {Units(both + R"(], "clockMegahertz": 0, "x": [)"),
       "clockMegahertz: must be a whole number from 1 to 10000, is 0"},
      {Units(both + R"(], "method": "Fast", "x": [)"),
       "method: must be one of Automatic, List, Exact, is \"Fast\""},
      {Units(both + R"(], "searchLimit": 0, "x": [)"),
       "searchLimit: must be a whole number from 1 to 100000000, is 0"},
      {Operations(""), "operations: must have at least one operation"},
      {Operations(R"({"name": "a"})"),
       "operations[0].kind: is missing, must be text of 1 to 63 bytes"},
      {Operations(R"({"name": "a", "kind": "x", "after": "b"})"),
       "operations[0].after: must be a list of at most 16, is \"b\""},
  };
  for (const auto& [parameters, want] : cases) {
    EXPECT_EQ(ParameterError(kWorkload, parameters), "spec.workload.parameterEstimation." + want)
        << parameters;
  }
}

TEST(EstimationParameters, EachMistakeInTheGraphNamesTheOperation) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"name": "a", "kind": "x"}, {"name": "a", "kind": "x"})",
       "operations[1].name: another operation is called a, too"},
      {R"({"name": "a", "kind": "x", "after": ["b"]})",
       "operations[0].after[0]: must be the name of an operation, is \"b\""},
      {R"({"name": "a", "kind": "x"}, {"name": "b", "kind": "x", "after": ["a", "a"]})",
       "operations[1].after[1]: names a a second time"},
      {R"({"name": "a", "kind": "x"}, {"name": "b", "kind": "y"})",
       "operations: no unit does \"y\", which b is; the units do x"},
      {R"({"name": "a", "kind": "x", "after": ["a"]})",
       "operations: must not wait for each other in a circle: a -> a"},
      {R"({"name": "a", "kind": "x", "after": ["c"]}, {"name": "b", "kind": "x", "after": ["a"]},
          {"name": "c", "kind": "x", "after": ["b"]}, {"name": "d", "kind": "x", "after": ["c"]})",
       "operations: must not wait for each other in a circle: a -> b -> c -> a"},
  };
  for (const auto& [list, want] : cases) {
    EXPECT_EQ(ParameterError(kWorkload, Operations(list)),
              "spec.workload.parameterEstimation." + want);
  }
}

TEST(EstimationParameters, EachMistakeInTheUnitsNamesTheUnit) {
  const std::string alu = kAlu;
  const std::vector<std::pair<std::string, std::string>> cases{
      {Units(alu),
       "graph: no unit does \"multiply\", which multiply1 is; the units do add, "
       "compare, subtract"},
      {Units(alu + "," + alu), "units[1].name: another unit is called alu, too"},
      {Units(alu + R"(, {"name": "b", "kinds": ["multiply", "add"], "max": 1})"),
       "units[1].kinds: add is done by alu already; each kind has one type of unit"},
      {Units(alu + "," + kMultiplier + R"(, {"name": "d", "kinds": ["divide"], "max": 1})"),
       "units[2].kinds: no operation of the graph is one of these"},
      {Units(alu + R"(, {"name": "mul", "kinds": ["multiply"], "min": 3, "max": 2})"),
       "units[1].min: must be at most max, which is 2, is 3"},
      {R"({"graph": "Diffeq", "operations": [{"name": "a", "kind": "add"}], "units": [)" + alu +
           "]}",
       "graph: must be there if operations are not, and not if they are"},
      {R"({"units": [)" + alu + "]}",
       "graph: must be there if operations are not, and not if they are"},
  };
  for (const auto& [parameters, want] : cases) {
    EXPECT_EQ(ParameterError(kWorkload, parameters), "spec.workload.parameterEstimation." + want);
  }
}

std::string ManyOperations(int count) {
  std::string list;
  for (int n = 0; n < count; ++n) {
    list += (n > 0 ? "," : "") + (R"({"kind": "x", "name": "o)" + std::to_string(n)) + "\"}";
  }
  return list;
}

TEST(EstimationParameters, EverySizeIsBounded) {
  EXPECT_EQ(ParameterError(kWorkload, Operations(ManyOperations(500))), "");
  EXPECT_EQ(ParameterError(kWorkload, Operations(ManyOperations(501))),
            "spec.workload.parameterEstimation.operations: must be a list of at most 500, has 501");
  std::string exact = Operations(ManyOperations(65));
  exact.insert(1, R"("method": "Exact",)");
  EXPECT_EQ(ParameterError(kWorkload, exact),
            "spec.workload.parameterEstimation.method: must be List or Automatic with more than 64 "
            "operations, the graph has 65");
  std::string units;
  for (const char* kind : {"add", "subtract", "compare", "multiply"}) {
    units += std::string(units.empty() ? "" : ",") + R"({"name": ")" + kind + R"(", "kinds": [")" +
             kind + R"("], "max": 18})";
  }
  EXPECT_EQ(
      ParameterError(kWorkload, Units(units)),
      "spec.workload.parameterEstimation.units: must leave fewer combinations: at most 100000 "
      "are allowed");
}

TEST(EstimationParameters, ATaskIsACombination) {
  const auto spec = parameter_estimation::SpecOf(
      Units(std::string(kMultiplier) +
            R"(, {"name": "alu", "kinds": ["add", "subtract", "compare"], "min": 2, "max": 3})"));
  using Counts = parameter_estimation::UnitCounts;
  ASSERT_EQ(parameter_estimation::CountCombinations(spec.units), 6);
  EXPECT_EQ(parameter_estimation::CombinationAt(spec.units, 0), (Counts{1, 2}));
  EXPECT_EQ(parameter_estimation::CombinationAt(spec.units, 1), (Counts{2, 2}));
  EXPECT_EQ(parameter_estimation::CombinationAt(spec.units, 5), (Counts{3, 3}));
}

}  // namespace
}  // namespace evenkeel::workloads
