#pragma once

#include "coordinator/service/status_board.h"
#include "core/metrics/job_metrics.h"
#include "http/http_message.h"

namespace evenkeel::coordinator {

/// /healthz, /readyz, /metrics: for everybody in the cluster, so nothing in it is secret. A job
/// that is blocked is ready all the same: somebody has to be able to ask why. Thread-safe.
class HealthHandler final : public http::HttpHandler {
 public:
  /// Both must outlive this.
  HealthHandler(const StatusBoard& board, const metrics::JobMetrics& metrics)
      : board_(board), metrics_(metrics) {}

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  const StatusBoard& board_;
  const metrics::JobMetrics& metrics_;
};

/// The metrics in Prometheus' text format.
[[nodiscard]] http::HttpResponse MetricsAnswer(const metrics::JobMetrics& metrics);

}  // namespace evenkeel::coordinator
