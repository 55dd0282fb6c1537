#include "coordinator/service/control_handler.h"

#include <utility>

#include "coordinator/service/job_status.h"

namespace evenkeel::coordinator {
namespace {

constexpr std::string_view kDesiredState = "/desired-state/";

http::HttpResponse JsonAnswer(int status, std::string body) {
  http::HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = std::move(body);
  return response;
}

http::HttpResponse Unauthorized() {
  http::HttpResponse response = http::PlainAnswer(401, "this needs the operator's token");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

http::HttpResponse ControlHandler::Handle(const http::HttpRequest& request) {
  if (!tokens_.Authorizes(request.authorization)) return Unauthorized();
  const std::string path = http::PathOf(request.target).value_or("");
  if (path == "/progress") {
    return http::IsRead(request) ? Progress(200) : http::NotAllowed("GET, HEAD");
  }
  if (path.starts_with(kDesiredState)) {
    if (request.method != "PUT") return http::NotAllowed("PUT");
    return SetDesiredState(std::string_view(path).substr(kDesiredState.size()));
  }
  if (path == "/snapshot") return request.method == "GET" ? Snapshot() : http::NotAllowed("GET");
  return http::NotFound();
}

http::HttpResponse ControlHandler::Progress(int status) const {
  return JsonAnswer(status, StatusJson(*board_.Read(), job_.IsToBeSuspended()));
}

http::HttpResponse ControlHandler::SetDesiredState(std::string_view state) {
  if (state != "Suspended" && state != "Running") {
    return http::PlainAnswer(400, "the desired state must be Suspended or Running");
  }
  if (state == "Suspended") {
    job_.Suspend();
  } else {
    job_.Resume();
  }
  return Progress(202);
}

http::HttpResponse ControlHandler::Snapshot() {
  auto snapshot = job_.Snapshot();
  if (!snapshot) {
    switch (snapshot.error().code) {
      case ErrorCode::kConflict:
        return Refusal(409, snapshot.error());
      case ErrorCode::kStorageFull:
        return Refusal(413, snapshot.error());
      case ErrorCode::kUnavailable:
        return Refusal(503, snapshot.error());
      default:
        return Refusal(500, snapshot.error());
    }
  }
  http::HttpResponse response;
  response.content_type = "application/zlib";
  response.body = std::move(*snapshot);
  return response;
}

http::HttpResponse ControlHandler::Refusal(int status, const Error& error) const {
  return JsonAnswer(status, ReasonJson(StateText(*board_.Read()), error.message));
}

}  // namespace evenkeel::coordinator
