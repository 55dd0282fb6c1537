#include "cli/replay_nodes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "cli/human_text.h"
#include "core/model/field_reader.h"
#include "core/model/names.h"
#include "core/model/node_parsing.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "core/scheduling/fuzzy/weight_estimation.h"
#include "platform/files.h"

namespace evenkeel::cli {
namespace {

using simulator::Constant;
using simulator::NodeGroup;
using simulator::RecordedRun;

double CapacityOf(const NodeGroup& node) {
  return std::get<Constant>(node.speed).value * node.cores;
}

/// The declared weight of a node of capacity 1.
double WeightOfOne(const std::vector<NodeGroup>& nodes) {
  double weights = 0;
  double capacities = 0;
  for (const NodeGroup& node : nodes) {
    weights += node.weight.value_or(0);
    capacities += CapacityOf(node);
  }
  return weights > 0 ? weights / capacities : 1;
}

std::vector<NodeGroup>::iterator Find(std::vector<NodeGroup>& nodes, const std::string& name) {
  return std::find_if(nodes.begin(), nodes.end(),
                      [&](const NodeGroup& node) { return node.name == name; });
}

NodeGroup NewNode(const std::string& name, double speed, std::uint32_t cores,
                  const RecordedRun& run, double weight_of_one) {
  NodeGroup node;
  node.name = name;
  node.speed = Constant{speed};
  node.cores = cores;
  node.weight = speed * cores * weight_of_one;
  node.joins = simulator::Moment{run.summary.startup_seconds, 0};
  return node;
}

struct Change {
  std::string name;
  double speed = 0;  ///< 0: without it
  std::uint32_t cores = 1;
};

Result<Change> ParseChange(const std::string& item) {
  const std::size_t equals = item.find('=');
  Change change{item.substr(0, equals)};
  const char* const end = item.data() + item.size();
  const auto speed = std::from_chars(item.data() + equals + 1, end, change.speed);
  bool good = speed.ec == std::errc() && change.speed >= 0 && change.speed <= 1e6;
  const char* at = speed.ptr;
  if (good && at != end && *at == 'x') {
    const auto cores = std::from_chars(at + 1, end, change.cores);
    good = cores.ec == std::errc() && change.cores >= 1 && change.cores <= 4096;
    at = cores.ptr;
  }
  if (good && at == end && model::IsDnsSubdomain(change.name)) return change;
  return InvalidInput(
      "--nodes: must be a file of Nodes, NAME=SPEED, NAME=SPEEDxCORES or NAME=0, is " +
      Printable(item, 128));
}

Result<void> Apply(const std::string& item, double weight_of_one, RecordedRun& run) {
  const auto change = ParseChange(item);
  if (!change) return tl::unexpected(change.error());
  const auto known = Find(run.nodes, change->name);
  if (change->speed <= 0) {
    if (known == run.nodes.end()) {
      return InvalidInput("--nodes: node " + change->name +
                          " is not there, so it cannot be left out");
    }
    run.nodes.erase(known);
    return {};
  }
  const NodeGroup node = NewNode(change->name, change->speed, change->cores, run, weight_of_one);
  if (known == run.nodes.end()) {
    run.nodes.push_back(node);
  } else {
    *known = node;
  }
  return {};
}

/// Speed / weight of the nodes that were in the run, their geometric mean; none if none was.
std::optional<double> SpeedOfOne(const std::vector<scheduling::NodeWeight>& weights,
                                 std::vector<NodeGroup>& nodes) {
  double logarithms = 0;
  int known = 0;
  for (const auto& weight : weights) {
    const auto node = Find(nodes, weight.name);
    if (node == nodes.end()) continue;
    logarithms += std::log(CapacityOf(*node) / weight.ratio);
    ++known;
  }
  if (known == 0) return std::nullopt;
  return std::exp(logarithms / known);
}

Result<void> Replace(const std::string& file, double weight_of_one, RecordedRun& run) {
  const auto text = platform::ReadInputFile(file);
  if (!text) return InvalidInput("--nodes: " + text.error().message);
  const auto profiles = model::ParseNodes(*text, file);
  if (!profiles) return tl::unexpected(profiles.error());
  const auto weights =
      scheduling::EstimateWeights(*profiles, *scheduling::FindBuiltinPolicy("default"));
  const bool declared = std::any_of(run.summary.nodes.begin(), run.summary.nodes.end(),
                                    [](const auto& node) { return node.declared_speed; });
  const auto speed_of_one = SpeedOfOne(weights, run.nodes);
  std::vector<NodeGroup> nodes;
  for (std::size_t i = 0; i < profiles->size(); ++i) {
    const model::NodeProfile& profile = (*profiles)[i];
    const auto known = Find(run.nodes, profile.name);
    double speed = declared ? profile.emulated_speed.value_or(0) : 0;
    if (speed <= 0) speed = speed_of_one.value_or(0) * weights[i].ratio;
    if (known != run.nodes.end()) {
      nodes.push_back(*known);
    } else if (speed > 0) {
      nodes.push_back(NewNode(profile.name, speed, 1, run, weight_of_one));
    } else {
      return InvalidInput("--nodes: " + file + ": node " + profile.name +
                          ": its speed is not known, and no node of the file was in the run, to "
                          "compare it with; give NAME=SPEED");
    }
  }
  run.nodes = std::move(nodes);
  return {};
}

}  // namespace

Result<void> ChangeNodes(const std::vector<std::string>& items, RecordedRun& run) {
  const double weight_of_one = WeightOfOne(run.nodes);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool file = items[i].find('=') == std::string::npos;
    if (file && i > 0) {
      return InvalidInput("--nodes: a file of Nodes may only come first, " +
                          Printable(items[i], 128) + " does not");
    }
    auto changed =
        file ? Replace(items[i], weight_of_one, run) : Apply(items[i], weight_of_one, run);
    if (!changed) return changed;
  }
  if (run.nodes.empty()) return InvalidInput("--nodes: leaves no node");
  if (std::none_of(run.nodes.begin(), run.nodes.end(), [](const auto& n) { return n.expected; })) {
    run.nodes.front().expected = true;
  }
  return {};
}

}  // namespace evenkeel::cli
