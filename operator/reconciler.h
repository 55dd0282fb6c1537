#pragma once

#include <optional>
#include <string>

#include "core/base/time.h"
#include "kubernetes/object.h"

namespace evenkeel::controller {

/// The result of one reconciliation.
struct Reconciliation {
  bool failed = false;                    ///< reconcile again, with a growing pause
  std::string error;                      ///< why, one line
  bool status_pending = false;            ///< its status waits for its turn: it may yet be refused
  std::optional<Duration> requeue_after;  ///< reconcile again after this time
};

/// Brings one object of the API server, and what belongs to it, to the desired state.
/// Level-triggered: only the current state counts, not the events that led to it. Thread-safe for
/// different objects; one caller at a time for the same object.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  [[nodiscard]] virtual Reconciliation Reconcile(const kube::ObjectKey& key) = 0;
};

}  // namespace evenkeel::controller
