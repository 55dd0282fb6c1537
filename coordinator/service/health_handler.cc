#include "coordinator/service/health_handler.h"

#include <system_error>

namespace evenkeel::coordinator {

http::HttpResponse MetricsAnswer(metrics::JobMetrics& metrics, const StatusBoard& board,
                                 const std::filesystem::path& folder) {
  metrics.SetState(StateText(*board.Read()));
  std::error_code trouble;
  const auto room = std::filesystem::space(folder, trouble);
  if (!trouble) {
    metrics.SetResultsVolume(static_cast<double>(room.capacity),
                             static_cast<double>(room.available));
  }
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
  if (path == "/metrics") return MetricsAnswer(metrics_, board_, folder_);
  return http::NotFound();
}

}  // namespace evenkeel::coordinator
