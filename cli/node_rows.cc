#include "cli/node_rows.h"

#include <algorithm>

#include "cli/human_text.h"

namespace evenkeel::cli {
namespace {

constexpr std::size_t kNameColumns = 16;

std::string Row(const NodeRow& node) {
  std::string name = node.name;
  if (name.size() > kNameColumns) name = name.substr(0, kNameColumns - 1) + "~";
  return Format("  %-16s %8.3f %6.1f%% %11s %11s %9s  %s", name.c_str(), node.weight,
                node.share * 100, HumanCount(node.done).c_str(), HumanCount(node.stolen).c_str(),
                node.rate > 0 ? (HumanRate(node.rate) + "/s").c_str() : "-", node.state.c_str());
}

std::string Headline(const JobHead& head, int columns) {
  constexpr int kBesideBar = 40;  // percentage and ETA
  const int bar = std::clamp(columns - static_cast<int>(head.name.size()) - kBesideBar, 10, 40);
  return Format("%s  %s %5.1f%%  %s", head.name.c_str(), Bar(head.done_ratio, bar).c_str(),
                head.done_ratio * 100, head.eta.c_str());
}

std::string Counts(const JobHead& head) {
  std::string line =
      "  " + HumanCount(head.tasks_completed) + " of " + HumanCount(head.tasks_total) + " tasks";
  if (!head.elapsed.empty()) line += ", " + head.elapsed + " elapsed";
  if (head.tasks_failed > 0) line += ", " + HumanCount(head.tasks_failed) + " failed";
  return line;
}

}  // namespace

std::vector<std::string> JobLines(const JobHead& head, const std::vector<NodeRow>& nodes,
                                  TerminalSize size) {
  constexpr int kOtherLines = 5;
  std::vector<std::string> lines{Headline(head, size.columns), Counts(head),
                                 Format("  %-16s %8s %7s %11s %11s %9s  %s", "NODE", "WEIGHT",
                                        "SHARE", "DONE", "STOLEN", "RATE", "STATE")};
  const auto room = static_cast<std::size_t>(std::max(size.rows - kOtherLines, 1));
  const std::size_t shown = std::min(nodes.size(), room);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(Row(nodes[i]));
  if (shown < nodes.size()) {
    lines.push_back("  ... and " + std::to_string(nodes.size() - shown) + " more nodes");
  }
  for (auto& line : lines) line = Clipped(line, size.columns);
  return lines;
}

}  // namespace evenkeel::cli
