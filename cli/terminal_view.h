#pragma once

#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "coordinator/job_run.h"

namespace evenkeel::cli {

/// A run as text: on a terminal a progress bar and a table of nodes that are drawn over and over in
/// place, elsewhere a plain line now and then.
class TerminalView final : public coordinator::RunObserver {
 public:
  /// `out` must outlive the view. `size` is asked before each drawing on a terminal that
  /// understands ANSI sequences; without it plain lines are printed.
  TerminalView(std::ostream& out, std::string job, std::function<TerminalSize()> size);

  void OnProgress(const engine::Progress& progress) override;
  [[nodiscard]] Duration ProgressInterval() const override;
  /// Shows a line above the view, where it stays. Thread-safe; for a live view only.
  void Say(std::string line);
  /// Draws the last state once more and leaves it standing.
  void Close(const engine::Progress& progress);

 private:
  std::vector<std::string> TakeSaid();
  void DrawLive(const engine::Progress& progress);
  void PrintLine(const engine::Progress& progress);

  std::ostream& out_;
  std::string job_;
  std::function<TerminalSize()> size_;
  LiveLines live_;
  std::mutex mutex_;
  std::vector<std::string> said_;  // since the last drawing; guarded by mutex_
  Duration elapsed_{};
};

}  // namespace evenkeel::cli
