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

/// Nothing if it is not {"endedAt": SECONDS, "outOfMemory": BOOLEAN}.
std::optional<engine::ContainerEnd> ReadContainerEnd(const nlohmann::json& object) {
  constexpr std::uint64_t kMaxSeconds = 253'402'300'799;  // the end of the year 9999
  if (!object.is_object() || object.size() != 2) return std::nullopt;
  const auto at = object.find("endedAt");
  const auto out_of_memory = object.find("outOfMemory");
  if (at == object.end() || !at->is_number_unsigned() || at->get<std::uint64_t>() > kMaxSeconds)
    return std::nullopt;
  if (out_of_memory == object.end() || !out_of_memory->is_boolean()) return std::nullopt;
  return engine::ContainerEnd{at->get<std::int64_t>(), out_of_memory->get<bool>()};
}

/// The content of PUT /container-ends: by node a list of ends. Nothing if it is not that. A body
/// has 16 KiB at most.
std::optional<engine::ContainerEnds> ReadContainerEnds(const std::string& report) {
  constexpr std::size_t kMaxNodes = 1000;
  constexpr std::size_t kMaxNameBytes = 253;  // of a node of Kubernetes
  const auto object = nlohmann::json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || object.size() > kMaxNodes) return std::nullopt;
  engine::ContainerEnds ends;
  for (const auto& [node, list] : object.items()) {
    if (node.empty() || node.size() > kMaxNameBytes || !list.is_array()) return std::nullopt;
    for (const nlohmann::json& item : list) {
      const auto end = ReadContainerEnd(item);
      if (!end) return std::nullopt;
      ends[node].push_back(*end);
    }
  }
  return ends;
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
  if (path == "/container-ends") {
    return request.method == "PUT" ? TakeContainerEnds(request.body) : http::NotAllowed("PUT");
  }
  if (path == "/snapshot") return request.method == "GET" ? Snapshot() : http::NotAllowed("GET");
  return http::NotFound();
}

http::HttpResponse ControlHandler::Progress(int status) const {
  return JsonAnswer(
      status, StatusJson(*board_.Read(), {job_.IsToBeSuspended(), job_.ContainerEndsDigest()}));
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

http::HttpResponse ControlHandler::TakeContainerEnds(const std::string& report) {
  auto ends = ReadContainerEnds(report);
  if (!ends) {
    return http::PlainAnswer(
        400,
        "container-ends: must be an object of at most 1000 nodes, each with a list of objects with"
        " endedAt, a whole number of seconds since 1970 of at most 253402300799, and outOfMemory,"
        " true or false");
  }
  job_.ReportContainerEnds(std::move(*ends), DigestOf(report));
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
