#pragma once

#include <string>

#include "core/base/error.h"
#include "core/engine/lost_runners.h"

namespace evenkeel::coordinator {

/// Requests to a job that a coordinator supervises. Thread-safe.
class JobControl {
 public:
  virtual ~JobControl() = default;
  /// Begins to stop the job in good order and returns at once; nothing happens to one that is over.
  virtual void Suspend() = 0;
  /// Lets a suspended job go on: the process ends, and with it a coordinator's container is started
  /// anew, which goes on from the journal. Nothing happens to a job that is not suspended.
  virtual void Resume() = 0;
  /// Suspend() was called, and Resume() was not called since.
  [[nodiscard]] virtual bool IsToBeSuspended() const = 0;
  /// The operator reports ends of command containers; the report replaces the one before. `digest`
  /// identifies it.
  virtual void ReportContainerEnds(engine::ContainerEnds ends, std::string digest) = 0;
  /// The digest of the last such report; empty if there was none.
  [[nodiscard]] virtual std::string ContainerEndsDigest() const = 0;
  /// A snapshot of a job that does not run. kConflict: it runs; kStorageFull: it is too large for
  /// one; kUnavailable: there is no journal at hand.
  [[nodiscard]] virtual Result<std::string> Snapshot() = 0;
};

}  // namespace evenkeel::coordinator
