#pragma once

#include <functional>
#include <memory>

#include "core/base/error.h"
#include "operator/options.h"

namespace evenkeel::controller {

/// The operator with all its parts and threads. For one owner.
class OperatorProcess {
 public:
  /// Connects nothing yet, but reads and checks all that the options name. `on_lost_lead` is called
  /// once, on any thread, when another replica has taken over: the process is to end. Errors:
  /// kInvalidInput, kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<OperatorProcess>> Make(
      const OperatorOptions& options, std::function<void()> on_lost_lead);
  virtual ~OperatorProcess() = default;

  /// Serves health and metrics, follows the cluster, and acts as soon as this replica leads.
  [[nodiscard]] virtual Result<void> Start() = 0;
  /// Finishes started reconciliations within some seconds, sends pending events and releases the
  /// lease.
  virtual void Stop() = 0;
};

}  // namespace evenkeel::controller
