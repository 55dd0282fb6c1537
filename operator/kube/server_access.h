#pragma once

#include "core/base/clock.h"
#include "operator/kube/token_source.h"
#include "operator/kube/transport.h"
#include "operator/kube/waiter.h"

namespace evenkeel::kube {

/// The way to an API server. What it names outlives whoever is given it.
struct ServerAccess {
  Transport& transport;
  const Clock& clock;
  Waiter& waiter;                 ///< for the pauses between requests
  TokenSource* tokens = nullptr;  ///< told of a 401; may be null
};

}  // namespace evenkeel::kube
