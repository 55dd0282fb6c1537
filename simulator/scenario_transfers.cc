#include "simulator/scenario_transfers.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/rng.h"
#include "core/base/splitmix.h"
#include "simulator/scenario_fields.h"

namespace evenkeel::simulator {
namespace {

using model::FieldReader;

constexpr const char* kAnyNode = "Random";  // no node is called so: names have no capitals
constexpr model::NumberRange kTransferRates{0, 1e9};
constexpr double kLeastTransferRate = 1e-3;
// Without links each node is linked with each other node.
constexpr std::size_t kMaxLinkedNodes = 500;

// A separate generator, so that links do not change the drawn tasks and nodes.
constexpr std::uint64_t kArrivalDraws = 101;
constexpr std::uint64_t kLinkDraws = 102;

std::int64_t CountOf(const Scenario& scenario) {
  std::int64_t count = 0;
  for (const NodeGroup& group : scenario.nodes) count += group.count;
  return count;
}

std::int64_t LateTasks(const TaskSource& tasks) {
  std::int64_t late = 0;
  for (const Arrival& arrival : tasks.arrivals) late += arrival.tasks * arrival.times;
  return late;
}

std::set<std::string> NamesOf(const Scenario& scenario) {
  std::set<std::string> names;
  for (const NodeGroup& group : scenario.nodes) {
    if (group.count == 1) names.insert(group.name);
    for (std::int64_t i = 0; i < group.count && group.count > 1; ++i) {
      names.insert(group.name + "-" + std::to_string(i + 1));
    }
  }
  return names;
}

/// The nodes that can be reached from the first named node.
std::set<std::string> ReachableNodes(const TransferSource& transfers) {
  std::set<std::string> reached{transfers.links.front().node};
  for (bool more = true; more;) {
    const std::size_t before = reached.size();
    for (const auto& link : transfers.links) {
      for (const std::string& other : link.others) {
        if (reached.contains(link.node)) reached.insert(other);
        if (reached.contains(other)) reached.insert(link.node);
      }
    }
    more = reached.size() > before;
  }
  return reached;
}

using Pair = std::pair<std::size_t, std::size_t>;

std::size_t Below(std::size_t bound, Rng& rng) {
  return static_cast<std::size_t>(rng.Below(bound));
}

/// Links each node with an earlier one, then random pairs until there are enough links.
std::set<Pair> DrawLinks(std::size_t nodes, double mean_links, Rng& rng) {
  std::set<Pair> links;
  for (std::size_t i = 1; i < nodes; ++i) links.insert({Below(i, rng), i});
  const double all = static_cast<double>(nodes) * static_cast<double>(nodes - 1) / 2;
  const double wanted = std::min(mean_links * static_cast<double>(nodes) / 2, all);
  while (static_cast<double>(links.size()) < wanted - 0.5) {
    const std::size_t one = Below(nodes, rng);
    const std::size_t other = Below(nodes, rng);
    if (one != other) links.insert({std::min(one, other), std::max(one, other)});
  }
  return links;
}

std::set<Pair> AllPairs(std::size_t nodes) {
  std::set<Pair> links;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = i + 1; j < nodes; ++j) links.insert({i, j});
  }
  return links;
}

std::map<std::string, std::size_t> NumbersOf(const SimulationConfig& simulation) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < simulation.nodes.size(); ++i) numbers[simulation.nodes[i].name] = i;
  return numbers;
}

/// Whether tasks are at nodes, or nodes are linked.
bool NamesNodes(const Scenario& scenario) {
  const TransferSource& transfers = scenario.transfers;
  const bool linked = !transfers.links.empty() || MeanOf(transfers.tasks_per_second) > 0;
  const bool loaded = std::any_of(scenario.nodes.begin(), scenario.nodes.end(),
                                  [](const NodeGroup& group) { return group.load > 0; });
  const auto& arrivals = scenario.tasks.arrivals;
  return linked || loaded ||
         std::any_of(arrivals.begin(), arrivals.end(),
                     [](const Arrival& arrival) { return arrival.node || arrival.at_any_node; });
}

struct DrawnArrival {
  Duration at;
  std::int64_t tasks;
  std::optional<std::size_t> node;
};

}  // namespace

Arrival ReadArrival(FieldReader& fields, std::int64_t max_tasks) {
  Arrival arrival;
  const nlohmann::json& at = fields.Any("at");
  const bool moment = !at.is_object() || at.contains("seconds") || at.contains("ofBound");
  if (moment) {
    arrival.at = ReadMoment(fields, "at");
  } else {
    arrival.drawn = ReadDistribution(fields, "at", {0, kMaxScenarioSeconds});
  }
  arrival.tasks = fields.RequiredInt("tasks", {1, max_tasks});
  arrival.times = fields.OptionalInt("times", {1, 100'000}, arrival.times);
  const std::string node = fields.OptionalString("node", 100, "");
  arrival.at_any_node = node == kAnyNode;
  if (!node.empty() && !arrival.at_any_node) arrival.node = node;
  return arrival;
}

TransferSource ReadTransfers(FieldReader fields) {
  TransferSource source;
  if (fields.Has("tasksPerSecond")) {
    source.tasks_per_second = ReadDistribution(fields, "tasksPerSecond", kTransferRates);
  }
  fields.Any("tasksPerSecond");
  source.exponential =
      fields.OptionalChoice("delay", {"Fixed", "Exponential"}, "Fixed") == "Exponential";
  source.streams = fields.OptionalBool("streams", source.streams);
  if (fields.Has("meanLinks")) source.mean_links = fields.RequiredNumber("meanLinks", {1, 1000});
  fields.Any("meanLinks");
  for (FieldReader& link : fields.Objects("links", 10'000)) {
    TransferSource::Neighbours neighbours;
    neighbours.node = link.RequiredString("node", 100);
    neighbours.others = link.Strings("neighbours", 1000, 100);
    if (link.Has("tasksPerSecond")) {
      neighbours.tasks_per_second = ReadDistribution(link, "tasksPerSecond", kTransferRates);
    }
    link.Any("tasksPerSecond");
    source.links.push_back(std::move(neighbours));
  }
  if (source.mean_links && !source.links.empty()) {
    fields.Fail("meanLinks", "is not allowed beside links");
  }
  const bool needs_rate = source.mean_links || !source.links.empty();
  if (needs_rate && MeanOf(source.tasks_per_second) <= 0) {
    fields.Fail("tasksPerSecond", "must be above 0 where there are links");
  }
  return source;
}

void CheckPlaces(FieldReader& fields, const Scenario& scenario, std::int64_t tasks) {
  if (fields.Failed()) return;
  const std::set<std::string> names = NamesOf(scenario);
  std::int64_t loads = 0;
  for (const NodeGroup& group : scenario.nodes) loads += group.load * group.count;
  if (const std::int64_t first = tasks - LateTasks(scenario.tasks); loads > first) {
    fields.Fail("nodes", "must not have a load of more tasks than there are at first, " +
                             std::to_string(first));
  }
  for (const Arrival& arrival : scenario.tasks.arrivals) {
    if (!arrival.node || names.contains(*arrival.node)) continue;
    fields.Fail("tasks.arrivals", "node must be Random or one of the nodes, is " + *arrival.node);
  }
  const TransferSource& transfers = scenario.transfers;
  for (const auto& link : transfers.links) {
    for (const std::string& other : link.others) {
      if (names.contains(link.node) && names.contains(other) && link.node != other) continue;
      fields.Fail("transfers.links",
                  "must be between two of the nodes, is " + link.node + " to " + other);
    }
  }
  if (fields.Failed()) return;
  if (!transfers.links.empty() && ReachableNodes(transfers).size() < names.size()) {
    fields.Fail("transfers.links", "must connect all nodes");
  }
  const bool all_pairs = transfers.links.empty() && MeanOf(transfers.tasks_per_second) > 0;
  if (all_pairs && CountOf(scenario) > static_cast<std::int64_t>(kMaxLinkedNodes)) {
    fields.Fail("transfers", "must have links or meanLinks with more than 500 nodes");
  }
}

void CheckNoneIsLeftOut(FieldReader& fields, const Scenario& scenario) {
  if (fields.Failed() || !NamesNodes(scenario)) return;
  for (const Variant& variant : scenario.variants) {
    const bool energy = variant.balancing.objective == model::Objective::kEnergy;
    if (!energy && !variant.nodes) continue;
    fields.Fail(energy ? "balancing.objective" : "variants",
                std::string(energy ? "must be Time" : "must not have nodes") +
                    " where there are transfers, or tasks at nodes: all of these are needed");
  }
}

void PlaceTasks(const Scenario& scenario, std::uint64_t seed,
                const std::function<Duration(const Moment&)>& time_of,
                SimulationConfig& simulation) {
  model::TaskIndex next = 0;
  const auto place = [&](std::int64_t tasks, std::size_t node) {
    if (tasks > 0) simulation.transfers.placed.push_back({{next, next + tasks}, node});
  };
  std::size_t node = 0;
  for (const NodeGroup& group : scenario.nodes) {
    for (std::int64_t i = 0; i < group.count; ++i, ++node, next += group.load) {
      place(group.load, node);
    }
  }
  if (scenario.tasks.arrivals.empty()) return;

  Rng rng(SplitMixAt(seed, kArrivalDraws));
  const auto numbers = NumbersOf(simulation);
  std::vector<DrawnArrival> drawn;
  for (const Arrival& arrival : scenario.tasks.arrivals) {
    for (std::int64_t i = 0; i < arrival.times; ++i) {
      const Duration at =
          arrival.drawn ? FromSeconds(Draw(*arrival.drawn, rng)) : time_of(arrival.at);
      std::optional<std::size_t> where;
      if (arrival.at_any_node) where = Below(simulation.nodes.size(), rng);
      if (arrival.node) where = numbers.at(*arrival.node);
      drawn.push_back({at, arrival.tasks, where});
    }
  }
  std::stable_sort(
      drawn.begin(), drawn.end(),
      [](const DrawnArrival& one, const DrawnArrival& two) { return one.at < two.at; });
  next = static_cast<std::int64_t>(simulation.true_costs.size()) - LateTasks(scenario.tasks);
  simulation.initial_tasks = next;
  for (const DrawnArrival& arrival : drawn) {
    if (arrival.node) place(arrival.tasks, *arrival.node);
    next += arrival.tasks;
    simulation.growths.push_back({arrival.at, next});
  }
}

void LinkNodes(const TransferSource& source, std::uint64_t seed, SimulationConfig& simulation) {
  Rng rng(SplitMixAt(seed, kLinkDraws));
  const auto link = [&](Pair ends, const Distribution& rate) {
    const double drawn = std::max(Draw(rate, rng), kLeastTransferRate);
    simulation.transfers.links.push_back({ends.first, ends.second, drawn});
  };
  simulation.transfers.exponential = source.exponential;
  simulation.transfers.streams = source.streams;
  const auto numbers = NumbersOf(simulation);
  for (const auto& neighbours : source.links) {
    for (const std::string& other : neighbours.others) {
      link({numbers.at(neighbours.node), numbers.at(other)},
           neighbours.tasks_per_second.value_or(source.tasks_per_second));
    }
  }
  if (!source.links.empty() || MeanOf(source.tasks_per_second) <= 0) return;
  const std::size_t nodes = simulation.nodes.size();
  for (const Pair& ends :
       source.mean_links ? DrawLinks(nodes, *source.mean_links, rng) : AllPairs(nodes)) {
    link(ends, source.tasks_per_second);
  }
}

}  // namespace evenkeel::simulator
