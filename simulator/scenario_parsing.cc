#include "simulator/scenario_parsing.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/model/document.h"
#include "core/model/field_reader.h"
#include "core/model/job_parsing.h"
#include "simulator/recorded_run.h"
#include "simulator/scenario_fields.h"
#include "simulator/scenario_transfers.h"
#include "simulator/simulated_strategy.h"
#include "workloads/folder_file.h"

namespace evenkeel::simulator {
namespace {

using model::FieldReader;

constexpr model::NumberRange kTaskSeconds{0, kMaxScenarioSeconds};
constexpr std::size_t kMaxFileBytes = 256u << 20;

struct Source {
  const std::filesystem::path& folder;
  const workloads::Registry& registry;
};

IncreasingCosts ReadIncreasing(FieldReader& tasks) {
  FieldReader seconds = tasks.RequiredObject("seconds");
  IncreasingCosts rising;
  rising.count = tasks.RequiredInt("count", {1, kMaxTasks});
  const auto ends = seconds.Numbers("increasing", 2, kTaskSeconds);
  if (ends.size() != 2) seconds.Fail("increasing", "must be two numbers [first, last]");
  if (ends.size() == 2) rising.first = ends[0], rising.last = ends[1];
  return rising;
}

/// Reads a file with one number a line.
ListedCosts ReadFile(FieldReader& tasks, const Source& source) {
  FieldReader seconds = tasks.RequiredObject("seconds");
  ListedCosts listed;
  const std::string name = seconds.RequiredString("file", 4096);
  if (tasks.Failed()) return listed;
  const auto text = workloads::ReadFolderFile(source.folder, name, false, kMaxFileBytes);
  if (!text) {
    seconds.Fail("file", name + " " + text.error().message);
    return listed;
  }
  const char* at = text->c_str();
  for (std::int64_t line = 1; *at != '\0'; ++line) {
    char* after = nullptr;
    const double cost = std::strtod(at, &after);
    const bool ends = *after == '\n' || *after == '\0';
    if (after == at || !ends || !(cost >= 0 && cost <= kMaxScenarioSeconds)) {
      seconds.Fail("file", name + " line " + std::to_string(line) +
                               ": must be one number of seconds from 0 to 320000000");
      return listed;
    }
    listed.seconds.push_back(cost);
    at = *after == '\n' ? after + 1 : after;
  }
  if (listed.seconds.empty()) seconds.Fail("file", name + " has no line");
  return listed;
}

WorkloadCosts ReadWorkload(FieldReader& tasks, const Source& source) {
  WorkloadCosts known;
  const nlohmann::json& workload = tasks.Any("workload");
  if (!workload.is_object() || workload.size() != 1) {
    tasks.Fail("workload",
               "must be an object with exactly one workload, as spec.workload of a job");
    return known;
  }
  known.units_per_second = tasks.OptionalNumber("unitsPerSecond", {0, 1e18, true}, 0);
  const auto made = source.registry.Make(workload.begin().key(), workload.begin().value().dump(),
                                         {source.folder});
  if (!made) {
    tasks.Fail("workload", made.error().message);
    return known;
  }
  known.costs = (*made)->TrueCosts();
  if (!known.costs->Known()) {
    tasks.Fail("workload", "must know what its tasks cost; give their seconds instead");
  }
  if (known.units_per_second > 0) return known;
  known.units_per_second = (*made)->DeclaredUnitsPerSecond();
  if (known.units_per_second <= 0) {
    tasks.Fail("unitsPerSecond", "is missing, must be the cost units that a node of speed 1 does");
  }
  return known;
}

TaskCosts ReadCosts(FieldReader& tasks, const Source& source) {
  if (tasks.Has("workload")) return ReadWorkload(tasks, source);
  const nlohmann::json& seconds = tasks.Any("seconds");
  if (seconds.is_object() && seconds.contains("increasing")) return ReadIncreasing(tasks);
  if (seconds.is_object() && seconds.contains("file")) return ReadFile(tasks, source);
  if (seconds.is_array()) return ListedCosts{tasks.Numbers("seconds", 1'000'000, kTaskSeconds)};
  DrawnCosts drawn;
  drawn.count = tasks.RequiredInt("count", {1, kMaxTasks});
  drawn.seconds = ReadDistribution(tasks, "seconds", kTaskSeconds);
  return drawn;
}

struct Counter {
  std::int64_t operator()(const DrawnCosts& costs) const { return costs.count; }
  std::int64_t operator()(const IncreasingCosts& costs) const { return costs.count; }
  std::int64_t operator()(const ListedCosts& costs) const {
    return static_cast<std::int64_t>(costs.seconds.size());
  }
  std::int64_t operator()(const WorkloadCosts& workload) const {
    return workload.costs ? workload.costs->TaskCount() : 0;
  }
};

/// The recorded run of a replay; nothing if the scenario is not a replay.
std::optional<RecordedRun> ReadRun(FieldReader& tasks, const Source& source) {
  if (!tasks.Has("timeline")) {
    tasks.Any("timeline");
    return std::nullopt;
  }
  const std::string name = tasks.RequiredString("timeline", 4096);
  if (tasks.Failed()) return std::nullopt;
  auto run = ReadRecordedRun(source.folder / name);
  if (run) return std::move(*run);
  tasks.Fail("timeline", run.error().message);
  return std::nullopt;
}

/// `range`: one run of a program does several tasks.
void ReadRange(FieldReader fields, TaskSource& read) {
  model::RangeBounds bounds;
  read.startup_seconds = fields.RequiredNumber("startupSeconds", {0, 86'400});
  read.runs_report_progress = fields.OptionalBool("progress", true);
  bounds.least_tasks = fields.OptionalInt("minTasks", {1, model::kMaxTasksPerRun}, 1);
  bounds.most_tasks = fields.OptionalInt("maxTasks", {bounds.least_tasks, model::kMaxTasksPerRun},
                                         model::kMaxTasksPerRun);
  read.ranges = bounds;
}

TaskSource ReadTasks(FieldReader tasks, const Source& source, Scenario& recorded) {
  TaskSource read;
  if (auto run = ReadRun(tasks, source)) {
    recorded = ScenarioOf(*run);
    read = recorded.tasks;
  } else if (!tasks.Failed()) {
    read.costs = ReadCosts(tasks, source);
  }
  read.costs_declared = tasks.OptionalBool("costsTold", read.costs_declared);
  read.cost_error = tasks.OptionalNumber("costError", {0, 5}, read.cost_error);
  read.costs_shuffled = tasks.OptionalBool("costsShuffled", read.costs_shuffled);
  if (tasks.Has("range")) ReadRange(tasks.RequiredObject("range"), read);
  tasks.Any("range");
  read.input_bytes = tasks.OptionalNumber("inputBytes", {0, 1e12}, 0);
  read.file_bytes = tasks.OptionalNumber("fileBytes", {0, 1e12}, 0);
  read.result_bytes = tasks.OptionalNumber("resultBytes", {0, 1e12}, 0);
  if (tasks.Has("blocks")) read.blocks = ReadBlocks(tasks.RequiredObject("blocks"));
  tasks.Any("blocks");
  std::int64_t late = 0;
  for (FieldReader& fields : tasks.Objects("arrivals", 10'000)) {
    read.arrivals.push_back(ReadArrival(fields, kMaxTasks));
    late += read.arrivals.back().tasks * read.arrivals.back().times;
  }
  if (!tasks.Failed() && late > std::visit(Counter{}, read.costs)) {
    tasks.Fail("arrivals", "must not be more tasks than there are in all");
  }
  return read;
}

std::string NameOf(const Variant& variant) {
  return ToString(SimulatedStrategy{variant.balancing.strategy, variant.technique});
}

/// The fields of spec.balancing and those of techniques. The options of all strategies are allowed:
/// several strategies may share them.
void ReadStrategy(FieldReader& fields, Variant& variant) {
  const std::vector<SimulatedStrategy> all = AllSimulatedStrategies();
  std::vector<std::string> names;
  for (const auto& strategy : all) names.push_back(ToString(strategy));
  const std::string name = fields.OptionalChoice("strategy", names, NameOf(variant));
  const auto chosen = std::find(names.begin(), names.end(), name) - names.begin();
  variant.balancing.strategy = all[static_cast<std::size_t>(chosen)].strategy;
  variant.technique = all[static_cast<std::size_t>(chosen)].technique;
  scheduling::TechniqueOptions& options = variant.technique_options;
  const std::string reissue = fields.OptionalChoice("reissue", {"Enabled", "Disabled"},
                                                    options.reissue ? "Enabled" : "Disabled");
  options.reissue = reissue == "Enabled";
  options.least_chunk_tasks =
      fields.OptionalInt("leastChunkTasks", {1, 1'000'000'000'000}, options.least_chunk_tasks);
  options.weight_updates = static_cast<std::int32_t>(
      fields.OptionalInt("weightUpdates", {1, 1'000'000}, options.weight_updates));
  model::ReadBalancingOptions(fields, variant.balancing);
  if (variant.technique && variant.balancing.objective == model::Objective::kEnergy) {
    fields.Fail("objective", "Energy needs strategy TailStealing, is with " + name);
  }
}

void ReadVariants(FieldReader& fields, Scenario& scenario) {
  std::vector<std::string> names{"all"};
  for (const auto& strategy : AllSimulatedStrategies()) names.push_back(ToString(strategy));
  for (const std::string& name : fields.Choices("strategies", 100, names)) {
    for (const Variant& variant : AllVariants(scenario.defaults)) {
      if (name == "all" || name == variant.name) scenario.variants.push_back(variant);
    }
  }
  for (FieldReader& variant : fields.Objects("variants", 1000)) {
    const std::string name = variant.RequiredString("name", 100);
    scenario.variants.push_back(scenario.defaults);
    scenario.variants.back().name = name;
    if (variant.Has("nodes")) {
      scenario.variants.back().nodes = variant.RequiredInt("nodes", {1, 20'000});
    }
    variant.Any("nodes");
    ReadStrategy(variant, scenario.variants.back());
  }
  if (scenario.variants.empty()) {
    scenario.variants.push_back(scenario.defaults);
    scenario.variants.back().name = NameOf(scenario.defaults);
  }
  std::set<std::string> seen;
  for (const Variant& variant : scenario.variants) {
    if (!seen.insert(variant.name).second)
      fields.Fail("variants", variant.name + " is there twice");
  }
}

/// The nodes of the recorded run, unless the scenario has its own.
void ReadNodes(FieldReader& fields, const Scenario& recorded, Scenario& scenario) {
  if (!recorded.nodes.empty() && !fields.Has("nodes")) {
    fields.Any("nodes");
    scenario.nodes = recorded.nodes;
    return;
  }
  std::int64_t count = 0;
  bool expected = false;
  std::set<std::string> names;
  for (FieldReader& node : fields.Objects("nodes", 20'000)) {
    scenario.nodes.push_back(ReadNodeGroup(node));
    const NodeGroup& group = scenario.nodes.back();
    count += group.count;
    expected = expected || group.expected;
    if (!names.insert(group.name).second) node.Fail("name", group.name + " is there twice");
  }
  fields.Any("nodes");
  if (count == 0 || count > 20'000) {
    fields.Fail("nodes", "must be a list of 1 to 20000 nodes, has " + std::to_string(count));
  } else if (!expected) {
    fields.Fail("nodes", "must have one that is expected");
  }
}

void ReadCoordinator(FieldReader fields, Scenario& scenario) {
  scenario.journal =
      FromSeconds(fields.OptionalNumber("journalSeconds", {0, 60}, ToSeconds(scenario.journal)));
  scenario.report_interval = FromSeconds(fields.OptionalNumber(
      "reportIntervalSeconds", {0.001, 3600}, ToSeconds(scenario.report_interval)));
  scenario.coordinator = ReadCoordinatorMachine(fields);
  for (FieldReader& fault : fields.Objects("faults", 10'000)) {
    const Moment at = ReadMoment(fault, "at");
    scenario.coordinator_faults.push_back({at, ReadMoment(fault, "for")});
  }
}

void CheckEnergy(FieldReader& fields, const Scenario& scenario) {
  const bool wanted =
      std::any_of(scenario.variants.begin(), scenario.variants.end(), [](const Variant& variant) {
        return variant.balancing.objective == model::Objective::kEnergy;
      });
  const bool known = std::any_of(scenario.nodes.begin(), scenario.nodes.end(),
                                 [](const NodeGroup& node) { return node.power.has_value(); });
  if (wanted && !known) fields.Fail("nodes", "must have watts somewhere for objective Energy");
}

/// A variant with fewer nodes keeps the first ones, and one of these must be expected.
void CheckVariantsBegin(FieldReader& fields, const Scenario& scenario) {
  std::int64_t late = 0;
  for (const NodeGroup& group : scenario.nodes) {
    if (group.expected) break;
    late += group.count;
  }
  for (const Variant& variant : scenario.variants) {
    if (variant.nodes.value_or(late + 1) > late) continue;
    fields.Fail("variants", variant.name + " must have more than " + std::to_string(late) +
                                " nodes: the first " + std::to_string(late) + " are not expected");
  }
}

Scenario ReadScenario(FieldReader& fields, const Source& source) {
  Scenario scenario;
  scenario.name = fields.RequiredString("name", 100);
  scenario.description = fields.OptionalString("description", 4000, "");
  Scenario recorded;
  scenario.tasks = ReadTasks(fields.RequiredObject("tasks"), source, recorded);
  scenario.defaults = recorded.defaults;
  ReadNodes(fields, recorded, scenario);
  scenario.transfers = ReadTransfers(fields.OptionalObject("transfers"));
  CheckPlaces(fields, scenario, std::visit(Counter{}, scenario.tasks.costs));
  const std::string weights =
      fields.OptionalChoice("weights", {"Speeds", "Equal", "Inverse"}, "Speeds");
  if (weights == "Equal") scenario.weights = DeclaredWeights::kEqual;
  if (weights == "Inverse") scenario.weights = DeclaredWeights::kInverse;
  scenario.weight_error = fields.OptionalNumber("weightError", {0, 5}, 0);
  scenario.network = ReadNetwork(fields.OptionalObject("network"));
  ReadCoordinator(fields.OptionalObject("coordinator"), scenario);
  FieldReader balancing = fields.OptionalObject("balancing");
  ReadStrategy(balancing, scenario.defaults);
  ReadVariants(fields, scenario);
  CheckVariantsBegin(fields, scenario);
  CheckEnergy(fields, scenario);
  CheckNoneIsLeftOut(fields, scenario);
  scenario.seed = static_cast<std::uint64_t>(fields.OptionalInt("seed", {0, INT64_MAX / 2}, 1));
  scenario.repetitions = fields.OptionalInt("repetitions", {1, 100'000}, 1);
  return scenario;
}

}  // namespace

Result<Scenario> ParseScenario(const std::string& yaml_text, const std::string& file_name,
                               const std::filesystem::path& folder,
                               const workloads::Registry& registry) {
  const auto document = model::ParseDocument(yaml_text, file_name);
  if (!document) return tl::unexpected(document.error());
  FieldReader fields(*document, "");
  Scenario scenario = ReadScenario(fields, {folder, registry});
  if (const auto read = fields.Finish(); !read) {
    return InvalidInput(file_name + ": " + read.error().message);
  }
  return scenario;
}

std::vector<Variant> AllVariants(const Variant& defaults) {
  std::vector<Variant> variants;
  for (const auto& strategy : AllSimulatedStrategies()) {
    Variant variant = defaults;
    variant.name = ToString(strategy);
    variant.balancing.strategy = strategy.strategy;
    variant.technique = strategy.technique;
    variants.push_back(variant);
    if (variant.name == model::ToString(model::StrategyName::kTailStealing)) continue;
    variants.back().balancing.objective = model::Objective::kTime;  // the other needs it
  }
  return variants;
}

}  // namespace evenkeel::simulator
