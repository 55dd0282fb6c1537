#pragma once

#include <functional>
#include <string>

#include "coordinator/journal.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// What may be asked of a job that a coordinator keeps. Thread-safe.
class JobControl {
 public:
  virtual ~JobControl() = default;
  /// Stops the job in good order and returns when it has stopped; nothing happens to one that is
  /// over. kUnavailable: it takes too long, or too many wait for it already; ask again.
  [[nodiscard]] virtual Result<void> Suspend() = 0;
  /// Lets a suspended job go on: the process ends, and with it a coordinator's container is started
  /// anew, which goes on from the journal. Nothing happens to a job that is not suspended.
  virtual void Resume() = 0;
  /// A snapshot of a job that does not run. kConflict: it runs; kStorageFull: it is too large for
  /// one; kUnavailable: there is no journal at hand.
  [[nodiscard]] virtual Result<std::string> Snapshot() = 0;
};

/// A look at a run in progress. Thread-safe.
class RunLook {
 public:
  virtual ~RunLook() = default;
  using Visit = std::function<Result<void>(const Journal&, const model::RunSummary&)>;
  /// Calls `visit` with the journal and the summary so far, both of which live until it returns; it
  /// does not hold the run up. kUnavailable: nothing runs.
  [[nodiscard]] virtual Result<void> Look(const Visit& visit) const = 0;
};

}  // namespace evenkeel::coordinator
