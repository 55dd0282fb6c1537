#include "cli/terminal_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <utility>
#include <vector>

namespace evenkeel::cli {
namespace {

constexpr int kMaxRows = 24;  // nodes shown; the rest is summed up in a line
constexpr int kNameColumns = 16;
// Shorter runs than this need no lines on the way.
constexpr Duration kFirstLine = std::chrono::milliseconds(500);

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

std::string Headline(const std::string& job, const engine::Progress& progress, int columns) {
  constexpr int kBesideBar = 40;  // percentage and ETA
  const int bar = std::clamp(columns - static_cast<int>(job.size()) - kBesideBar, 10, 40);
  return Format("%s  %s %5.1f%%  %s", job.c_str(), Bar(progress.cost_done_ratio, bar).c_str(),
                progress.cost_done_ratio * 100, Eta(progress).c_str());
}

std::string Counts(const engine::Progress& progress) {
  std::string line = Format(
      "  %s of %s tasks, %s elapsed", HumanCount(progress.tasks_completed).c_str(),
      HumanCount(progress.tasks_total).c_str(), HumanSeconds(ToSeconds(progress.elapsed)).c_str());
  if (progress.tasks_failed > 0) line += ", " + HumanCount(progress.tasks_failed) + " failed";
  return line;
}

/// What does not fit would be wrapped, and then drawn in the wrong place.
std::string Clipped(const std::string& line, int columns) {
  int shown = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins =
        (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;  // of a UTF-8 sequence
    if (begins && ++shown > columns) return line.substr(0, i);
  }
  return line;
}

/// Never as many lines as the terminal has, because the cursor cannot go up beyond its top.
std::vector<std::string> Lines(const std::string& job, const engine::Progress& progress,
                               TerminalSize size) {
  constexpr int kOtherLines = 5;
  std::vector<std::string> lines{Headline(job, progress, size.columns), Counts(progress),
                                 Format("  %-16s %8s %7s %11s %11s %9s  %s", "NODE", "WEIGHT",
                                        "SHARE", "DONE", "STOLEN", "RATE", "STATE")};
  const auto room = static_cast<std::size_t>(std::clamp(size.rows - kOtherLines, 1, kMaxRows));
  const std::size_t nodes = progress.nodes.size();
  const std::size_t shown = std::min(nodes, room);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(Row(progress.nodes[i]));
  if (shown < nodes) lines.push_back("  ... and " + std::to_string(nodes - shown) + " more nodes");
  for (auto& line : lines) line = Clipped(line, size.columns);
  return lines;
}

}  // namespace

TerminalView::TerminalView(std::ostream& out, std::string job, std::function<TerminalSize()> size)
    : out_(out), job_(std::move(job)), size_(std::move(size)) {}

Duration TerminalView::ProgressInterval() const {
  if (size_) return std::chrono::milliseconds(200);
  // Lines come often at first, when people wait to see that it works, and rarely in long runs.
  return std::clamp<Duration>(elapsed_ / 5, std::chrono::seconds(1), std::chrono::seconds(30));
}

void TerminalView::OnProgress(const engine::Progress& progress) {
  elapsed_ = progress.elapsed;
  size_ ? DrawLive(progress) : PrintLine(progress);
}

void TerminalView::Close(const engine::Progress& progress) {
  size_ ? DrawLive(progress) : PrintLine(progress);
}

void TerminalView::Say(std::string line) {
  const std::lock_guard lock(mutex_);
  said_.push_back(std::move(line));
}

std::vector<std::string> TerminalView::TakeSaid() {
  const std::lock_guard lock(mutex_);
  return std::exchange(said_, {});
}

void TerminalView::DrawLive(const engine::Progress& progress) {
  std::string screen;
  if (drawn_lines_ > 0) screen += Format("\033[%dA", drawn_lines_);
  for (const auto& line : TakeSaid()) screen += "\r\033[2K" + line + "\n";
  drawn_lines_ = 0;
  for (const auto& line : Lines(job_, progress, size_())) {
    screen += "\r\033[2K" + line + "\n";
    ++drawn_lines_;
  }
  screen += "\033[J";
  out_ << screen << std::flush;
}

void TerminalView::PrintLine(const engine::Progress& progress) {
  if (progress.elapsed < kFirstLine) return;
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
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (count < 0 ? 1 : 0);
       at -= 3) {
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
  const int decimals = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
  return Format("%.*f %s", decimals, rate, kPrefixes[prefix]);
}

}  // namespace evenkeel::cli
