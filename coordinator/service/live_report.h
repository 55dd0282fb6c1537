#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "coordinator/live/run_look.h"
#include "core/base/clock.h"

namespace evenkeel::coordinator {

/// What a run that is not over yet can show. Made when it is asked for, but no oftener than once a
/// second and never for more than a tenth of the time; in between the last one is given.
/// Thread-safe; those who ask meanwhile wait for the one that is being made.
class LiveReport {
 public:
  /// `look` and `clock` must outlive this. timeline.jsonl is written into `folder`.
  LiveReport(const RunLook& look, std::filesystem::path folder, const Clock& clock)
      : look_(look), folder_(std::move(folder)), clock_(clock) {}

  /// Errors of all: kUnavailable if nothing runs, and those of the journal and the folder.
  [[nodiscard]] Result<std::string> Html();
  /// summary.json; made afresh each time.
  [[nodiscard]] Result<std::string> Summary() const;
  /// Writes timeline.jsonl.
  [[nodiscard]] Result<void> RefreshTimeline();

 private:
  /// When something was made last, and how long that took.
  struct Made {
    Instant at{};
    Duration took{};
    bool ever = false;
  };
  [[nodiscard]] bool Fresh(const Made& made) const;
  void Note(Instant begun, Made& made) const;

  const RunLook& look_;
  const std::filesystem::path folder_;
  const Clock& clock_;
  std::mutex html_mutex_;
  Made html_made_;
  std::string html_;
  std::mutex timeline_mutex_;
  Made timeline_made_;
};

}  // namespace evenkeel::coordinator
