#include "coordinator/live/live_handler.h"

#include "report/html_report.h"

namespace evenkeel::coordinator {
namespace {

constexpr std::string_view kSince = "?since=";

/// The value of `since` in the target, cut to the length that an answer can have.
std::string SinceIn(const std::string& target) {
  const std::size_t at = target.find(kSince);
  return at == std::string::npos ? std::string() : target.substr(at + kSince.size(), 80);
}

}  // namespace

http::HttpResponse LiveHandler::Page() const {
  http::HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = report::LivePage(state_().job);
  return response;
}

http::HttpResponse LiveHandler::Data(const std::string& target) {
  auto answer = feed_.Answer(snapshots_, state_(), SinceIn(target));
  if (!answer) {
    http::HttpResponse refusal = http::PlainAnswer(503, answer.error().message);
    refusal.headers.emplace_back("Retry-After", "10");
    return refusal;
  }
  http::HttpResponse response;
  response.content_type = "application/json";
  response.body = *std::move(answer);
  return response;
}

std::optional<http::HttpResponse> LiveHandler::Handle(const http::HttpRequest& request) {
  const auto path = http::PathOf(request.target);
  if (path == "/") return Page();
  if (path == "/live.json") return Data(request.target);
  return std::nullopt;
}

}  // namespace evenkeel::coordinator
