#include "coordinator/service/control_handler.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "coordinator/service/job_status.h"
#include "core/base/digest.h"

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

/// The content of PUT /memory-kills: an object of seconds since 1970 by node. Nothing if it is not
/// that. A body has 16 KiB at most.
std::optional<engine::MemoryKills> ReadMemoryKills(const std::string& report) {
  constexpr std::size_t kMaxKills = 1000;
  constexpr std::size_t kMaxNameBytes = 253;             // of a node of Kubernetes
  constexpr std::int64_t kMaxSeconds = 253'402'300'799;  // the end of the year 9999
  const auto object = nlohmann::json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || object.size() > kMaxKills) return std::nullopt;
  engine::MemoryKills kills;
  for (const auto& [node, at] : object.items()) {
    if (node.empty() || node.size() > kMaxNameBytes || !at.is_number_unsigned())
      return std::nullopt;
    const auto seconds = at.get<std::uint64_t>();
    if (seconds > static_cast<std::uint64_t>(kMaxSeconds)) return std::nullopt;
    kills.emplace(node, static_cast<std::int64_t>(seconds));
  }
  return kills;
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
  if (path == "/memory-kills") {
    return request.method == "PUT" ? TakeMemoryKills(request.body) : http::NotAllowed("PUT");
  }
  if (path == "/snapshot") return request.method == "GET" ? Snapshot() : http::NotAllowed("GET");
  return http::NotFound();
}

http::HttpResponse ControlHandler::Progress(int status) const {
  return JsonAnswer(status,
                    StatusJson(*board_.Read(), {job_.IsToBeSuspended(), job_.MemoryKillsDigest()}));
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

http::HttpResponse ControlHandler::TakeMemoryKills(const std::string& report) {
  auto kills = ReadMemoryKills(report);
  if (!kills) {
    return http::PlainAnswer(400,
                             "memory-kills: must be an object of at most 1000 nodes, each with a "
                             "whole number of seconds since 1970, at most 253402300799");
  }
  job_.ReportMemoryKills(std::move(*kills), DigestOf(report));
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
