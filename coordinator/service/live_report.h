#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "coordinator/live/snapshot_source.h"
#include "core/base/clock.h"

namespace evenkeel::coordinator {

/// Report, summary and timeline of a run that is not over yet. Each is made on request, at most
/// once a second and for at most a tenth of the time; other requests get the last one. Thread-safe;
/// requests that come while one is being made wait for it.
class LiveReport {
 public:
  /// `snapshots` and `clock` must outlive this. timeline.jsonl is written into `folder`.
  LiveReport(const SnapshotSource& snapshots, std::filesystem::path folder, const Clock& clock)
      : snapshots_(snapshots), folder_(std::move(folder)), clock_(clock) {}

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

  const SnapshotSource& snapshots_;
  const std::filesystem::path folder_;
  const Clock& clock_;
  std::mutex html_mutex_;
  Made html_made_;
  std::string html_;
  std::mutex timeline_mutex_;
  Made timeline_made_;
};

}  // namespace evenkeel::coordinator
