#include "workloads/parameter_estimation/parameter_estimation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/model/names.h"
#include "workloads/parameter_estimation/data_flow_graph.h"
#include "workloads/parameter_estimation/estimation_reducer.h"
#include "workloads/parameter_estimation/estimation_runner.h"
#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

using model::FieldReader;

constexpr std::size_t kMaxNameBytes = 63;

/// An operation as the manifest has it: refers to its predecessors, which may come later, by name.
struct NamedOperation {
  std::string name;
  std::string kind;
  std::vector<std::string> after;
};

void CheckName(const std::string& field, const std::string& name, FieldReader& fields) {
  if (!model::IsLabelValue(name)) fields.Fail(field, "must be " + model::kAllowedLabelValue);
}

std::vector<NamedOperation> ReadOperations(FieldReader& fields) {
  std::vector<NamedOperation> operations;
  for (FieldReader& item : fields.Objects("operations", kMaxOperations)) {
    NamedOperation& operation = operations.emplace_back();
    operation.name = item.RequiredString("name", kMaxNameBytes);
    CheckName("name", operation.name, item);
    operation.kind = item.RequiredString("kind", kMaxNameBytes);
    CheckName("kind", operation.kind, item);
    operation.after = item.Strings("after", kMaxOperands, kMaxNameBytes);
  }
  if (fields.Has("operations") && operations.empty()) {
    fields.Fail("operations", "must have at least one operation");
  }
  return operations;
}

UnitType ReadUnit(FieldReader& item) {
  UnitType unit;
  unit.name = item.RequiredString("name", kMaxNameBytes);
  CheckName("name", unit.name, item);
  unit.kinds = item.Strings("kinds", kMaxKinds, kMaxNameBytes);
  if (unit.kinds.empty()) item.Fail("kinds", "must have at least one kind of operation");
  unit.min = static_cast<std::uint32_t>(item.OptionalInt("min", {1, kMaxUnits}, 1));
  unit.max = static_cast<std::uint32_t>(item.RequiredInt("max", {1, kMaxUnits}));
  unit.cycles = static_cast<std::uint32_t>(item.OptionalInt("cycles", {1, kMaxCycles}, 1));
  unit.pipelined = item.OptionalBool("pipelined", false);
  unit.area = item.OptionalInt("area", {0, kMaxArea}, 0);
  unit.energy_picojoules = item.OptionalInt("energyPicojoules", {0, kMaxPicojoules}, 0);
  unit.idle_microwatts = item.OptionalInt("idleMicrowatts", {0, kMaxMicrowatts}, 0);
  return unit;
}

Method ReadMethod(FieldReader& fields) {
  const std::string method =
      fields.OptionalChoice("method", {"Automatic", "List", "Exact"}, "Automatic");
  return method == "List" ? Method::kList : method == "Exact" ? Method::kExact : Method::kAutomatic;
}

std::string At(const std::string& list, std::size_t place) {
  return list + "[" + std::to_string(place) + "]";
}

/// "a -> b -> a"
std::string DescribeCycle(const DataFlowGraph& graph, const std::vector<std::size_t>& cycle) {
  constexpr std::size_t kNamed = 8;
  std::string names = graph[cycle.front()].name;
  // Each operation depends on the next one in the list, so data flows in the opposite direction.
  for (std::size_t n = cycle.size() - 1; n > 0; --n) {
    if (cycle.size() - n > kNamed) {
      names += " -> ...";
      break;
    }
    names += " -> " + graph[cycle[n]].name;
  }
  return names + " -> " + graph[cycle.front()].name;
}

/// Replaces the names of predecessors by their indexes. `path` is the path of the workload.
Result<DataFlowGraph> LinkOperations(const std::vector<NamedOperation>& written,
                                     const std::string& path) {
  std::map<std::string, std::size_t> places;
  for (std::size_t n = 0; n < written.size(); ++n) {
    if (!places.emplace(written[n].name, n).second) {
      return InvalidInput(path + At("operations", n) + ".name: another operation is called " +
                          written[n].name + ", too");
    }
  }
  DataFlowGraph graph;
  for (std::size_t n = 0; n < written.size(); ++n) {
    Operation& operation = graph.emplace_back(Operation{written[n].name, written[n].kind, {}});
    for (std::size_t k = 0; k < written[n].after.size(); ++k) {
      const std::string& earlier = written[n].after[k];
      const std::string field = path + At("operations", n) + At(".after", k) + ": ";
      const auto found = places.find(earlier);
      if (found == places.end()) {
        return InvalidInput(field + "must be the name of an operation, is \"" +
                            model::ShownKey(earlier) + "\"");
      }
      const auto& known = operation.after;
      if (std::find(known.begin(), known.end(), found->second) != known.end()) {
        return InvalidInput(field + "names " + earlier + " a second time");
      }
      operation.after.push_back(found->second);
    }
  }
  if (const auto cycle = FindCycle(graph); !cycle.empty()) {
    return InvalidInput(path + "operations: must not wait for each other in a circle: " +
                        DescribeCycle(graph, cycle));
  }
  return graph;
}

/// Maps each kind of operation to the index of the unit type that executes it.
Result<std::map<std::string, std::size_t>> KindsOf(const std::vector<UnitType>& units,
                                                   const std::string& path) {
  std::map<std::string, std::size_t> types;
  for (std::size_t n = 0; n < units.size(); ++n) {
    const std::string unit = path + At("units", n);
    for (std::size_t other = 0; other < n; ++other) {
      if (units[other].name != units[n].name) continue;
      return InvalidInput(unit + ".name: another unit is called " + units[n].name + ", too");
    }
    if (units[n].min > units[n].max) {
      return InvalidInput(unit + ".min: must be at most max, which is " +
                          std::to_string(units[n].max) + ", is " + std::to_string(units[n].min));
    }
    for (const std::string& kind : units[n].kinds) {
      const auto [known, fresh] = types.emplace(kind, n);
      if (fresh) continue;
      return InvalidInput(unit + ".kinds: " + model::ShownKey(kind) + " is done by " +
                          units[known->second].name + " already; each kind has one type of unit");
    }
  }
  return types;
}

/// Each operation has its unit, each unit its operations.
Result<void> CheckKinds(const EstimationSpec& spec, const std::string& where,
                        const std::string& path) {
  const auto types = KindsOf(spec.units, path);
  if (!types) return tl::unexpected(types.error());
  std::vector<bool> used(spec.units.size());
  for (std::size_t n = 0; n < spec.graph.size(); ++n) {
    const Operation& operation = spec.graph[n];
    const auto type = types->find(operation.kind);
    if (type == types->end()) {
      std::vector<std::string> kinds;
      for (const auto& [kind, unit] : *types) kinds.push_back(model::ShownKey(kind));
      return InvalidInput(path + where + ": no unit does \"" + operation.kind + "\", which " +
                          operation.name + " is; the units do " + model::Joined(kinds));
    }
    used[type->second] = true;
  }
  for (std::size_t n = 0; n < used.size(); ++n) {
    if (used[n]) continue;
    return InvalidInput(path + At("units", n) +
                        ".kinds: no operation of the graph is one of these");
  }
  return {};
}

Result<void> CheckTotals(const EstimationSpec& spec, const std::string& path) {
  const auto tasks = CountCombinations(spec.units);
  if (tasks > kMaxTasks) {
    return InvalidInput(path + "units: must leave fewer combinations: at most " +
                        std::to_string(kMaxTasks) + " are allowed");
  }
  if (spec.method == Method::kExact && spec.graph.size() > kMaxExactOperations) {
    return InvalidInput(path + "method: must be List or Automatic with more than " +
                        std::to_string(kMaxExactOperations) + " operations, the graph has " +
                        std::to_string(spec.graph.size()));
  }
  return {};
}

}  // namespace

Result<EstimationSpec> ReadEstimationSpec(FieldReader fields) {
  EstimationSpec spec;
  const bool by_name = fields.Has("graph");
  const std::string example =
      fields.OptionalChoice("graph", ExampleNames(), ExampleNames().front());
  const bool written_out = fields.Has("operations");
  const std::vector<NamedOperation> operations = ReadOperations(fields);
  for (FieldReader& item : fields.Objects("units", kMaxUnitTypes)) {
    spec.units.push_back(ReadUnit(item));
  }
  if (spec.units.empty()) fields.Fail("units", "must have at least one type of unit");
  spec.clock_megahertz = fields.OptionalInt("clockMegahertz", {1, kMaxMegahertz}, 100);
  spec.method = ReadMethod(fields);
  spec.search_limit = fields.OptionalInt("searchLimit", {1, kMaxSearchLimit}, 1'000'000);
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());

  const std::string path = fields.PathOf("");
  if (by_name == written_out) {
    return InvalidInput(path + "graph: must be there if operations are not, and not if they are");
  }
  if (by_name) {
    spec.graph = *ExampleGraph(example);
  } else {
    auto graph = LinkOperations(operations, path);
    if (!graph) return tl::unexpected(graph.error());
    spec.graph = *std::move(graph);
  }
  const std::string where = by_name ? "graph" : "operations";
  if (auto kinds = CheckKinds(spec, where, path); !kinds) return tl::unexpected(kinds.error());
  if (auto totals = CheckTotals(spec, path); !totals) return tl::unexpected(totals.error());
  return spec;
}

namespace {

class ParameterEstimation final : public Workload {
 public:
  explicit ParameterEstimation(EstimationSpec spec)
      : spec_(std::move(spec)), problem_(ProblemOf(spec_)) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return CountCombinations(spec_.units); }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return std::make_shared<model::UnitCosts>(TaskCount());
  }
  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(const RunnerOptions&) const override {
    return MakeEstimationRunner(spec_, problem_);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeEstimationReducer(spec_);
  }

 private:
  EstimationSpec spec_;
  SchedulingProblem problem_;
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeParameterEstimation(const model::FieldReader& fields) {
  return ReadEstimationSpec(fields).map([](EstimationSpec spec) -> std::shared_ptr<const Workload> {
    return std::make_shared<ParameterEstimation>(std::move(spec));
  });
}

}  // namespace evenkeel::workloads::parameter_estimation
