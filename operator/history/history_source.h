#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "operator/history/prometheus.h"
#include "operator/history/rate_history.h"

namespace evenkeel::operating {

/// Where the history comes from.
struct HistorySettings {
  PrometheusAddress address;            ///< of the Prometheus; its url may be empty
  bool discover = false;                ///< look for one if there is no url
  std::vector<std::string> namespaces;  ///< where to look; empty: where it usually is
  PrometheusOptions options;
};

/// The history with all that it takes: a Prometheus that is named, one that is found, or none.
class HistorySource {
 public:
  /// Connects nothing yet. `clock` must outlive it. Errors: kInvalidInput, one line.
  [[nodiscard]] static Result<std::unique_ptr<HistorySource>> Make(const HistorySettings& settings,
                                                                   const Clock& clock);
  virtual ~HistorySource() = default;

  /// Starts looking, if there is something to look for.
  virtual void Start() = 0;
  virtual void Stop() = 0;
  [[nodiscard]] virtual RateHistory& History() = 0;
};

}  // namespace evenkeel::operating
