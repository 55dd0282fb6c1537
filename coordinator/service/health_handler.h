#pragma once

#include <filesystem>
#include <utility>

#include "coordinator/service/status_board.h"
#include "core/metrics/job_metrics.h"
#include "http/http_message.h"

namespace evenkeel::coordinator {

/// /healthz, /readyz, /metrics: open to the whole cluster, so they contain no secrets. A blocked
/// job is ready: its control server must stay reachable. Thread-safe.
class HealthHandler final : public http::HttpHandler {
 public:
  /// `board` and `metrics` must outlive this; `folder` is that of journal and results.
  HealthHandler(const StatusBoard& board, metrics::JobMetrics& metrics,
                std::filesystem::path folder)
      : board_(board), metrics_(metrics), folder_(std::move(folder)) {}

  [[nodiscard]] http::HttpResponse Handle(const http::HttpRequest& request) override;

 private:
  const StatusBoard& board_;
  metrics::JobMetrics& metrics_;
  const std::filesystem::path folder_;
};

/// The metrics in Prometheus' text format, with the job's state and the room on its volume as they
/// are now.
[[nodiscard]] http::HttpResponse MetricsAnswer(metrics::JobMetrics& metrics,
                                               const StatusBoard& board,
                                               const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
