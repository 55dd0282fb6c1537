#pragma once

#include <condition_variable>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/terminal.h"
#include "coordinator/observer_thread.h"

namespace evenkeel::cli {

/// A run as text: on a terminal a progress bar and a table of nodes, redrawn in place; elsewhere a
/// plain line now and then. Draws the latest snapshot on a thread of its own, so that a terminal
/// that is stopped (Ctrl-S) or slow delays only Close.
class TerminalView final : public coordinator::RunObserver {
 public:
  /// `out` must outlive the view. Calls `size` before each drawing on a terminal that
  /// understands ANSI sequences; without it prints plain lines.
  TerminalView(std::ostream& out, std::string job, std::function<TerminalSize()> size);
  /// Waits for the drawing under way.
  ~TerminalView() override;
  TerminalView(const TerminalView&) = delete;
  TerminalView& operator=(const TerminalView&) = delete;

  void OnProgress(const engine::Progress& progress) override;
  [[nodiscard]] Duration ProgressInterval() const override;
  /// Shows a line above the view, where it stays. Thread-safe; for a live view only.
  void Say(std::string line);
  /// Draws the last state, leaves it standing and returns when that is done. Nothing is drawn
  /// after.
  void Close(const engine::Progress& progress);

 private:
  void Run();
  void DrawLive(const engine::Progress& progress, std::vector<std::string> above);
  void PrintLine(const engine::Progress& progress);
  void End();

  std::ostream& out_;
  const std::string job_;
  const std::function<TerminalSize()> size_;
  LiveLines live_;      // used by thread_ only
  Duration elapsed_{};  // used by the caller of OnProgress only

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<engine::Progress> latest_;  // not drawn yet
  std::vector<std::string> said_;           // since the last drawing
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::cli
