#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "operator/kube/transport.h"
#include "operator/plan/history_answer.h"

namespace evenkeel::operating {

/// How to reach a Prometheus.
struct PrometheusAddress {
  std::string url;         ///< "http://prometheus.monitoring.svc:9090", a path may follow
  std::string token_file;  ///< shown as bearer token, over https only; empty: none
  std::string ca_file;     ///< whom to trust, PEM; needed for https
};

struct PrometheusOptions {
  Duration timeout = std::chrono::seconds(2);  ///< of any question
  std::int64_t window_seconds = 7 * 86400;     ///< that is looked back, at least 64
};

/// The HTTP API of one Prometheus, or of what speaks like it. Thread-safe; calls block for the
/// timeout at most.
class Prometheus {
 public:
  /// `url` stands in messages.
  Prometheus(std::string url, std::unique_ptr<kube::Transport> transport,
             const PrometheusOptions& options)
      : url_(std::move(url)), transport_(std::move(transport)), options_(options) {}

  /// Reads the files and connects nothing yet. `clock` must outlive it. Errors: kInvalidInput, one
  /// line.
  [[nodiscard]] static Result<std::shared_ptr<Prometheus>> Make(const PrometheusAddress& address,
                                                                const PrometheusOptions& options,
                                                                const Clock& clock);

  /// What each node did for jobs of the profile.
  [[nodiscard]] plan::HistoryAnswer Ask(const std::string& profile) const;
  /// Whether a Prometheus answers there.
  [[nodiscard]] bool IsThere() const;
  [[nodiscard]] const std::string& Url() const { return url_; }

 private:
  const std::string url_;
  const std::unique_ptr<kube::Transport> transport_;
  const PrometheusOptions options_;
};

}  // namespace evenkeel::operating
