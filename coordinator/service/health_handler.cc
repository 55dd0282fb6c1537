#include "coordinator/service/health_handler.h"

namespace evenkeel::coordinator {

http::HttpResponse MetricsAnswer(const metrics::JobMetrics& metrics) {
  http::HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics.Text();
  return response;
}

http::HttpResponse HealthHandler::Handle(const http::HttpRequest& request) {
  if (!http::IsRead(request)) return http::NotAllowed("GET, HEAD");
  const auto path = http::PathOf(request.target);
  if (path == "/healthz") return http::PlainAnswer(200, "ok");
  if (path == "/readyz") {
    return board_.Ready() ? http::PlainAnswer(200, "ok")
                          : http::PlainAnswer(503, "starting or stopping");
  }
  if (path == "/metrics") return MetricsAnswer(metrics_);
  return http::NotFound();
}

}  // namespace evenkeel::coordinator
