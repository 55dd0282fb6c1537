#include "cli/weights_command.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/text_table.h"
#include "core/base/error.h"
#include "core/model/node_parsing.h"
#include "core/model/policy_parsing.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "core/scheduling/fuzzy/weight_estimation.h"

namespace evenkeel::cli {
namespace {

using scheduling::Factor;
using scheduling::NodeWeight;

Result<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return InvalidInput(path + ": is a folder, must be a file");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) return InvalidInput(path + ": cannot be read, must be a file");
  return text;
}

Result<model::WeightingPolicy> LoadPolicy(const std::string& name_or_file) {
  if (auto builtin = scheduling::FindBuiltinPolicy(name_or_file)) return *builtin;
  const Result<std::string> text = ReadFile(name_or_file);
  if (!text) {
    return InvalidInput("--policy: must be default, paper or a file, " + text.error().message);
  }
  return model::ParsePolicy(*text, name_or_file);
}

std::string Fixed(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

void WriteTable(const std::vector<NodeWeight>& weights, const model::WeightingPolicy& policy,
                std::ostream& out) {
  std::vector<std::string> header{"NODE"};
  for (const model::Criterion& criterion : policy.criteria) header.push_back(criterion.name);
  for (const char* column : {"VALUE", "RATIO", "WEIGHT"}) header.emplace_back(column);

  TextTable table(std::move(header));
  for (const NodeWeight& node : weights) {
    std::vector<std::string> row{node.name};
    for (const Factor& factor : node.factors) {
      row.push_back(Fixed(factor.factor, 3) + (factor.known ? "" : "?"));
    }
    row.push_back(Fixed(node.value, 3));
    row.push_back(Fixed(node.ratio, 3));
    row.push_back(std::to_string(node.weight));
    table.AddRow(std::move(row));
  }
  table.Write(out);
}

/// A line a node with what its factors were made of, and a line a note.
void WriteReasons(const std::vector<NodeWeight>& weights, std::ostream& out) {
  out << '\n';
  for (const NodeWeight& node : weights) {
    out << node.name << ':';
    const char* separator = " ";
    for (const Factor& factor : node.factors) {
      if (!factor.known) continue;
      out << std::exchange(separator, ", ") << factor.criterion << ' ' << factor.raw;
    }
    out << '\n';
    for (const std::string& note : node.notes) out << "  note: " << note << '\n';
  }
}

nlohmann::json ToJson(const NodeWeight& node) {
  nlohmann::json factors = nlohmann::json::object();
  nlohmann::json reasons = nlohmann::json::object();
  for (const Factor& factor : node.factors) {
    factors[factor.criterion] = factor.factor;
    reasons[factor.criterion] = {{"raw", factor.raw},
                                 {"known", factor.known},
                                 {"mu", factor.mu},
                                 {"exponent", factor.alpha}};
  }
  return {{"name", node.name},    {"factors", factors},  {"reasons", reasons},
          {"notes", node.notes},  {"value", node.value}, {"ratio", node.ratio},
          {"weight", node.weight}};
}

void WriteJson(const std::vector<NodeWeight>& weights, const model::WeightingPolicy& policy,
               std::ostream& out) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const NodeWeight& node : weights) nodes.push_back(ToJson(node));
  out << nlohmann::json{{"policy", policy.name}, {"nodes", nodes}}.dump(2) << '\n';
}

Result<void> Run(const WeightsOptions& options, std::ostream& out) {
  const Result<model::WeightingPolicy> policy = LoadPolicy(options.policy);
  if (!policy) return tl::unexpected(policy.error());
  const Result<std::string> text = ReadFile(options.nodes_file);
  if (!text) return tl::unexpected(text.error());
  const auto nodes = model::ParseNodes(*text, options.nodes_file);
  if (!nodes) return tl::unexpected(nodes.error());

  const std::vector<NodeWeight> weights = scheduling::EstimateWeights(*nodes, *policy);
  if (options.json) {
    WriteJson(weights, *policy, out);
  } else {
    WriteTable(weights, *policy, out);
    WriteReasons(weights, out);
  }
  return {};
}

}  // namespace

int RunWeightsCommand(const WeightsOptions& options, std::ostream& out, std::ostream& err) {
  const Result<void> done = Run(options, out);
  if (done) return 0;
  err << "evenkeel: " << done.error().message << '\n';
  return 2;
}

}  // namespace evenkeel::cli
