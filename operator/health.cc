#include "operator/health.h"

#include <utility>

#include "kubernetes/cpprest_transport.h"

namespace evenkeel::controller {
namespace {

http::HttpResponse Verdict(bool good, std::string_view otherwise) {
  return good ? http::PlainAnswer(200, "ok") : http::PlainAnswer(503, otherwise);
}

}  // namespace

http::HttpResponse HealthHandler::Handle(const http::HttpRequest& request) {
  if (!http::IsRead(request)) return http::NotAllowed("GET, HEAD");
  const auto path = http::PathOf(request.target);
  if (path == "/healthz") return Verdict(questions_.healthy(), "a job is stuck");
  if (path == "/readyz") return Verdict(questions_.ready(), "not all of the cluster was seen yet");
  if (path != "/metrics" || !questions_.metrics) return http::NotFound();
  http::HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = questions_.metrics();
  return response;
}

namespace {

constexpr Duration kPatience = std::chrono::seconds(10);
constexpr std::size_t kLongestAnswer = 64U << 10;

}  // namespace

Result<std::string> Probe(const std::string& url) {
  const auto host = url.find("://");
  const auto path = host == std::string::npos ? host : url.find('/', host + 3);
  kube::CpprestOptions options;
  options.server = url.substr(0, path);
  options.user_agent = "evenkeel-probe";
  options.max_body_bytes = kLongestAnswer;
  auto transport = kube::MakeCpprestTransport(std::move(options));
  if (!transport) return tl::unexpected<Error>(transport.error());
  kube::Request request;
  request.method = "GET";
  request.target = path == std::string::npos ? "/" : url.substr(path);
  request.timeout = kPatience;
  auto answer = (*transport)->Send(request);
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (answer->status != 200) {
    return Fail(ErrorCode::kUnavailable,
                url + " answered " + std::to_string(answer->status) + ": " + answer->body);
  }
  return std::move(answer->body);
}

}  // namespace evenkeel::controller
