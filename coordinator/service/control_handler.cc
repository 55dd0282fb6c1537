#include "coordinator/service/control_handler.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <array>
#include <utility>

#include "coordinator/service/job_status.h"

namespace evenkeel::coordinator {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest Sha256(const std::string& text) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

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

ControlHandler::ControlHandler(std::string token, const StatusBoard& board, JobControl& job)
    : expected_("Bearer " + std::move(token)), board_(board), job_(job) {}

bool ControlHandler::Knows(const std::string& authorization) const {
  // Digests have equal length, so that the comparison does not reveal the token's length.
  const Digest said = Sha256(authorization);
  const Digest wanted = Sha256(expected_);
  return CRYPTO_memcmp(said.data(), wanted.data(), said.size()) == 0;
}

http::HttpResponse ControlHandler::Handle(const http::HttpRequest& request) {
  if (!Knows(request.authorization)) return Unauthorized();
  const auto path = http::PathOf(request.target);
  if (path == "/progress") {
    if (!http::IsRead(request)) return http::NotAllowed("GET, HEAD");
    return JsonAnswer(200, StatusJson(*board_.Read()));
  }
  if (path == "/suspend") return request.method == "POST" ? Suspend() : http::NotAllowed("POST");
  if (path == "/resume") return request.method == "POST" ? Resume() : http::NotAllowed("POST");
  if (path == "/snapshot") return request.method == "GET" ? Snapshot() : http::NotAllowed("GET");
  return http::NotFound();
}

http::HttpResponse ControlHandler::Suspend() {
  if (const auto suspended = job_.Suspend(); !suspended) return Refusal(503, suspended.error());
  return JsonAnswer(200, StatusJson(*board_.Read()));
}

http::HttpResponse ControlHandler::Resume() {
  job_.Resume();
  return JsonAnswer(200, StatusJson(*board_.Read()));
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
