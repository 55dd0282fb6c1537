#pragma once

#include <functional>

#include "coordinator/journal.h"
#include "core/engine/progress.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// A run as it stands.
struct RunView {
  const Journal& journal;
  const model::RunSummary& summary;
  const engine::Progress& progress;
};

/// A look at a run in progress. Thread-safe.
class RunLook {
 public:
  virtual ~RunLook() = default;
  using Visit = std::function<Result<void>(const RunView&)>;
  /// Calls `visit` with what there is so far, all of which lives until it returns; it does not hold
  /// the run up. kUnavailable: nothing runs.
  [[nodiscard]] virtual Result<void> Look(const Visit& visit) const = 0;
};

}  // namespace evenkeel::coordinator
