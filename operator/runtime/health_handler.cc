#include "operator/runtime/health_handler.h"

namespace evenkeel::operating {
namespace {

http::HttpResponse Verdict(bool good, std::string_view otherwise) {
  constexpr int kOk = 200;
  constexpr int kUnavailable = 503;
  return good ? http::PlainAnswer(kOk, "ok") : http::PlainAnswer(kUnavailable, otherwise);
}

}  // namespace

http::HttpResponse HealthHandler::Handle(const http::HttpRequest& request) {
  if (!http::IsRead(request)) return http::NotAllowed("GET, HEAD");
  const auto path = http::PathOf(request.target);
  if (path == "/healthz") return Verdict(questions_.healthy(), "a job is stuck");
  if (path == "/readyz") return Verdict(questions_.ready(), "not all of the cluster was seen yet");
  if (path != "/metrics") return http::NotFound();
  http::HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = questions_.metrics();
  return response;
}

}  // namespace evenkeel::operating
