#include "cli/weight_tables.h"

#include <string>
#include <utility>

#include "cli/human_text.h"
#include "cli/text_table.h"

namespace evenkeel::cli {

using scheduling::Factor;
using scheduling::NodeWeight;

void WriteWeightTable(const std::vector<NodeWeight>& weights, const model::WeightingPolicy& policy,
                      std::ostream& out) {
  std::vector<std::string> header{"NODE"};
  for (const model::Criterion& criterion : policy.criteria) header.push_back(criterion.name);
  for (const char* column : {"VALUE", "RATIO", "WEIGHT"}) header.emplace_back(column);

  TextTable table(std::move(header));
  for (const NodeWeight& node : weights) {
    std::vector<std::string> row{node.name};
    for (const Factor& factor : node.factors) {
      row.push_back(Format("%.3f", factor.factor) + (factor.known ? "" : "?"));
    }
    row.push_back(Format("%.3f", node.value));
    row.push_back(Format("%.3f", node.ratio));
    row.push_back(std::to_string(node.weight));
    table.AddRow(std::move(row));
  }
  table.Write(out);
}

void WriteWeightReasons(const std::vector<NodeWeight>& weights, std::ostream& out) {
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

}  // namespace evenkeel::cli
