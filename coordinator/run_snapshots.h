#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "coordinator/live/snapshot_source.h"
#include "coordinator/run_outcome.h"

namespace evenkeel::coordinator {

/// The snapshots of the current run. Writers never wait for readers. Thread-safe.
class RunSnapshots final : public SnapshotSource {
 public:
  /// The parts of a run that do not change, except for the version of its job.
  struct Run {
    std::shared_ptr<const Journal> journal;
    OutcomeContext outcome;
    WorkByNode earlier;
    std::function<protocol::Traffic()> traffic;  ///< called until Close returns; thread-safe
  };

  /// A run begins; there are snapshots from its first progress on.
  void Open(Run run);
  void SetVersion(SharedJobVersion version);
  void SetProgress(const engine::Progress& progress);
  /// The run is over. Stops those who read its journal, and returns when none is left.
  void Close();

  [[nodiscard]] Result<void> WithSnapshot(const Visit& visit) const override;

 private:
  class Reader;
  [[nodiscard]] bool IsOpen() const;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable left_;
  std::shared_ptr<const Run> run_;  // null: closed
  std::shared_ptr<const engine::Progress> progress_;
  mutable int readers_ = 0;
};

}  // namespace evenkeel::coordinator
