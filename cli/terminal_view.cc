#include "cli/terminal_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <utility>
#include <vector>

namespace evenkeel::cli {
namespace {

constexpr int kMaxRows = 24;      // nodes shown; the rest is summed up in a line
constexpr int kNameColumns = 16;

template <typename... Args>
std::string Format(const char* format, Args... args) {
  const int size = std::snprintf(nullptr, 0, format, args...);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::snprintf(text.data(), text.size() + 1, format, args...);
  return text;
}

std::string Bar(double ratio, int columns) {
  const int full = static_cast<int>(std::lround(std::clamp(ratio, 0.0, 1.0) * columns));
  std::string bar;
  for (int i = 0; i < columns; ++i) bar += i < full ? "█" : "░";
  return bar;
}

std::string Eta(const engine::Progress& progress) {
  if (progress.tasks_completed >= progress.tasks_total) return "done";
  if (!progress.eta) return "ETA -";
  return "ETA " + HumanSeconds(ToSeconds(*progress.eta)) + " ± " +
         HumanSeconds(ToSeconds(progress.eta_sigma));
}

const char* State(const engine::NodeProgress& node) {
  if (node.lost) return "lost";
  if (!node.connected) return "-";
  return node.leased > 0 ? "busy" : "idle";
}

std::string Row(const engine::NodeProgress& node) {
  std::string name = node.name;
  if (name.size() > kNameColumns) name = name.substr(0, kNameColumns - 1) + "~";
  return Format("  %-16s %8.3f %6.1f%% %11s %11s %9s  %s", name.c_str(), node.ratio,
                node.share * 100, HumanCount(node.completed).c_str(),
                HumanCount(node.stolen_in).c_str(),
                node.rate > 0 ? (HumanRate(node.rate) + "/s").c_str() : "-", State(node));
}

std::vector<std::string> Lines(const std::string& job, const engine::Progress& progress, int columns) {
  std::vector<std::string> lines;
  const double ratio = progress.tasks_total > 0
                           ? progress.cost_done_ratio
                           : 1.0;
  lines.push_back(Format("%s  %s %5.1f%%  %s", job.c_str(), Bar(ratio, std::clamp(columns - 60, 10, 40)).c_str(),
                         ratio * 100, Eta(progress).c_str()));
  lines.push_back(Format("  %s of %s tasks, %s elapsed%s", HumanCount(progress.tasks_completed).c_str(),
                         HumanCount(progress.tasks_total).c_str(),
                         HumanSeconds(ToSeconds(progress.elapsed)).c_str(),
                         progress.tasks_failed > 0
                             ? (", " + HumanCount(progress.tasks_failed) + " failed").c_str()
                             : ""));
  lines.push_back(Format("  %-16s %8s %7s %11s %11s %9s  %s", "NODE", "WEIGHT", "SHARE", "DONE", "STOLEN",
                         "RATE", "STATE"));
  int rows = 0;
  for (const auto& node : progress.nodes) {
    if (++rows > kMaxRows) break;
    lines.push_back(Row(node));
  }
  const auto hidden = static_cast<int>(progress.nodes.size()) - kMaxRows;
  if (hidden > 0) lines.push_back(Format("  ... and %d more nodes", hidden));
  return lines;
}

}  // namespace

TerminalView::TerminalView(std::ostream& out, std::string job, bool live, int columns)
    : out_(out), job_(std::move(job)), live_(live), columns_(columns) {}

Duration TerminalView::ProgressInterval() const {
  return live_ ? Duration(std::chrono::milliseconds(200)) : Duration(std::chrono::seconds(5));
}

void TerminalView::OnProgress(const engine::Progress& progress) {
  live_ ? DrawLive(progress) : PrintLine(progress);
}

void TerminalView::Close(const engine::Progress& progress) {
  if (live_) DrawLive(progress);
}

void TerminalView::DrawLive(const engine::Progress& progress) {
  std::string screen;
  if (drawn_lines_ > 0) screen += Format("\033[%dA", drawn_lines_);
  drawn_lines_ = 0;
  for (const auto& line : Lines(job_, progress, columns_)) {
    screen += "\r\033[2K" + line + "\n";
    ++drawn_lines_;
  }
  screen += "\033[J";
  out_ << screen << std::flush;
}

void TerminalView::PrintLine(const engine::Progress& progress) {
  if (!progress.eta) return;
  out_ << Format("%s: %5.1f%%, %s of %s tasks, %s, %s elapsed\n", job_.c_str(),
                 progress.cost_done_ratio * 100, HumanCount(progress.tasks_completed).c_str(),
                 HumanCount(progress.tasks_total).c_str(), Eta(progress).c_str(),
                 HumanSeconds(ToSeconds(progress.elapsed)).c_str())
       << std::flush;
}

std::string HumanSeconds(double seconds) {
  if (seconds < 60) return Format("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return Format("%lld:%02lld", whole / 60, whole % 60);
  return Format("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string HumanCount(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string HumanRate(double rate) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (rate >= 999.5 && prefix < 4) {
    rate /= 1000;
    ++prefix;
  }
  return Format("%.3g %s", rate, kPrefixes[prefix]);
}

}  // namespace evenkeel::cli
