#include "coordinator/service/health_handler.h"

namespace evenkeel::coordinator {

HttpResponse MetricsAnswer(const metrics::JobMetrics& metrics) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.Text();
  return response;
}

HttpResponse HealthHandler::Handle(const HttpRequest& request) {
  if (!IsRead(request)) return NotAllowed("GET, HEAD");
  const auto path = PathOf(request.target);
  if (path == "/healthz") return PlainAnswer(200, "ok");
  if (path == "/readyz") {
    return board_.Ready() ? PlainAnswer(200, "ok") : PlainAnswer(503, "starting or stopping");
  }
  if (path == "/metrics") return MetricsAnswer(metrics_);
  return NotFound();
}

}  // namespace evenkeel::coordinator
