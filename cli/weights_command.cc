#include "cli/weights_command.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/weight_tables.h"
#include "core/base/error.h"
#include "core/model/node_parsing.h"
#include "core/model/policy_parsing.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "core/scheduling/fuzzy/weight_estimation.h"
#include "platform/files.h"

namespace evenkeel::cli {
namespace {

using scheduling::Factor;
using scheduling::NodeWeight;

Result<model::WeightingPolicy> LoadPolicy(const std::string& name_or_file) {
  if (auto builtin = scheduling::FindBuiltinPolicy(name_or_file)) return *builtin;
  const Result<std::string> text = platform::ReadInputFile(name_or_file);
  if (!text) {
    return InvalidInput("--policy: must be default, paper or a file, " + text.error().message);
  }
  return model::ParsePolicy(*text, name_or_file);
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
  const Result<std::string> text = platform::ReadInputFile(options.nodes_file);
  if (!text) return tl::unexpected(text.error());
  const auto nodes = model::ParseNodes(*text, options.nodes_file);
  if (!nodes) return tl::unexpected(nodes.error());

  const std::vector<NodeWeight> weights = scheduling::EstimateWeights(*nodes, *policy);
  if (options.json) {
    WriteJson(weights, *policy, out);
  } else {
    WriteWeightTable(weights, *policy, out);
    out << '\n';
    WriteWeightReasons(weights, out);
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
