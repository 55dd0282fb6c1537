#include "cli/kubectl/history_view.h"

#include <cmath>
#include <ostream>
#include <utility>

#include "cli/human_text.h"
#include "cli/kubectl/object_places.h"
#include "cli/text_table.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

double NumberAt(const json& object, const char* place) {
  const json& value = ValueAt(object, place);
  const double number = value.is_number() ? value.get<double>() : 0.0;
  return std::isfinite(number) ? number : 0.0;
}

void AddRows(const json& list, HistoryView& view) {
  if (!list.is_array()) return;
  for (const json& row : list) {
    if (!ValueAt(row, "/parts").is_object()) continue;
    view.rows.push_back({Printable(TextAt(row, "/name"), 253), NumberAt(row, "/ratio"),
                         NumberAt(row, "/parts/fuzzy"), NumberAt(row, "/parts/measured"),
                         NumberAt(row, "/parts/busySeconds"), NumberAt(row, "/parts/ageSeconds"),
                         NumberAt(row, "/parts/confidence"),
                         Printable(TextAt(row, "/parts/note"))});
  }
}

}  // namespace

std::set<std::string> HistoryView::Nodes() const {
  std::set<std::string> nodes;
  for (const HistoryRow& row : rows) nodes.insert(row.node);
  return nodes;
}

HistoryView ReadHistoryView(const json& plan) {
  HistoryView view;
  const json weights = json::parse(TextAt(plan, "/data/weights.json"), nullptr, false);
  view.message = Printable(TextAt(weights, "/history/message"));
  AddRows(json::parse(TextAt(plan, "/data/nodes.json"), nullptr, false), view);
  AddRows(ListAt(weights, "/joined"), view);
  return view;
}

void WriteHistoryView(const HistoryView& view, std::ostream& out) {
  if (view.message.empty()) return;
  out << "\nEarlier jobs: " << view.message << '\n';
  if (view.rows.empty()) return;
  TextTable table({"NODE", "FUZZY", "RATE", "SAMPLE", "AGE", "CONFIDENCE", "RATIO", "FROM"});
  for (const HistoryRow& row : view.rows) {
    const bool known = row.measured > 0;
    table.AddRow({row.node, Format("%.3f", row.fuzzy), known ? HumanRate(row.measured) + "/s" : "-",
                  known ? HumanSeconds(row.busy_seconds) : "-",
                  known ? HumanAge(row.age_seconds) : "-", Format("%.0f%%", 100 * row.confidence),
                  Format("%.3f", row.ratio), row.confidence >= 0.5 ? "Measured" : "Fuzzy"});
  }
  table.Write(out);
  for (const HistoryRow& row : view.rows) {
    if (!row.note.empty()) out << row.node << ": " << row.note << '\n';
  }
}

}  // namespace evenkeel::cli
