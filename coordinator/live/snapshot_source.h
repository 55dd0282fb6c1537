#pragma once

#include <functional>

#include "coordinator/journal.h"
#include "core/engine/progress.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// A run as it stands.
struct RunSnapshot {
  const JournalReader& journal;
  const model::RunSummary& summary;
  const engine::Progress& progress;
};

/// Where pages get snapshots of a run. Thread-safe.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  using Visit = std::function<Result<void>(const RunSnapshot&)>;
  /// Calls `visit` with what there is so far, which lives until it returns. `visit` may take as
  /// long as it likes without holding up the run. kUnavailable: no job runs, or the run has ended
  /// meanwhile.
  [[nodiscard]] virtual Result<void> WithSnapshot(const Visit& visit) const = 0;
};

}  // namespace evenkeel::coordinator
