#include "cli/terminal_view.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/human_text.h"
#include "cli/node_rows.h"

namespace evenkeel::cli {
namespace {

// Shorter runs than this need no lines on the way.
constexpr Duration kFirstLine = std::chrono::milliseconds(500);
constexpr int kMaxLines = 29;  // however high the terminal is

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

std::vector<std::string> Lines(const std::string& job, const engine::Progress& progress,
                               TerminalSize size) {
  JobHead head;
  head.name = job;
  head.done_ratio = progress.cost_done_ratio;
  head.eta = Eta(progress);
  head.tasks_completed = progress.tasks_completed;
  head.tasks_total = progress.tasks_total;
  head.tasks_failed = progress.tasks_failed;
  head.elapsed = HumanSeconds(ToSeconds(progress.elapsed));
  std::vector<NodeRow> rows;
  for (const engine::NodeProgress& node : progress.nodes) {
    rows.push_back({node.name, node.ratio, node.share, node.completed, node.stolen_in, node.rate,
                    State(node)});
  }
  size.rows = std::min(size.rows, kMaxLines);
  return JobLines(head, rows, size);
}

}  // namespace

TerminalView::TerminalView(std::ostream& out, std::string job, std::function<TerminalSize()> size)
    : out_(out), job_(std::move(job)), size_(std::move(size)), live_(out), thread_([this] {
        Run();
      }) {}

TerminalView::~TerminalView() { End(); }

void TerminalView::End() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Duration TerminalView::ProgressInterval() const {
  if (size_) return std::chrono::milliseconds(200);
  // Lines come often at first, when people wait to see that it works, and rarely in long runs.
  return std::clamp<Duration>(elapsed_ / 5, std::chrono::seconds(1), std::chrono::seconds(30));
}

void TerminalView::OnProgress(const engine::Progress& progress) {
  elapsed_ = progress.elapsed;
  const std::lock_guard lock(mutex_);
  latest_ = progress;
  changed_.notify_one();
}

void TerminalView::Close(const engine::Progress& progress) {
  OnProgress(progress);
  End();
}

void TerminalView::Say(std::string line) {
  const std::lock_guard lock(mutex_);
  said_.push_back(std::move(line));
}

void TerminalView::Run() {
  for (;;) {
    std::optional<engine::Progress> progress;
    std::vector<std::string> above;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return latest_ || ending_; });
      if (!latest_) return;
      progress = std::exchange(latest_, {});
      above = std::exchange(said_, {});
    }
    size_ ? DrawLive(*progress, std::move(above)) : PrintLine(*progress);
  }
}

void TerminalView::DrawLive(const engine::Progress& progress, std::vector<std::string> above) {
  live_.Draw(Lines(job_, progress, size_()), above);
}

void TerminalView::PrintLine(const engine::Progress& progress) {
  if (progress.elapsed < kFirstLine) return;
  out_ << Format("%s: %5.1f%%, %s of %s tasks, %s, %s elapsed\n", job_.c_str(),
                 progress.cost_done_ratio * 100, HumanCount(progress.tasks_completed).c_str(),
                 HumanCount(progress.tasks_total).c_str(), Eta(progress).c_str(),
                 HumanSeconds(ToSeconds(progress.elapsed)).c_str())
       << std::flush;
}

}  // namespace evenkeel::cli
