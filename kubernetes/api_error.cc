#include "kubernetes/api_error.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kubernetes/object.h"

namespace evenkeel::kube {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestMessage = 1024;

/// Servers quote what they were sent: one line of bounded length is enough.
std::string OneLine(std::string text) {
  if (text.size() > kLongestMessage) text = text.substr(0, kLongestMessage) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

ApiErrorKind KindOf(int status, std::string_view reason) {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return ApiErrorKind::kInvalid;
    case 401:
      return ApiErrorKind::kUnauthorized;
    case 403:
      return ApiErrorKind::kForbidden;
    case 404:
      return ApiErrorKind::kNotFound;
    case 409:
      return reason == "AlreadyExists" ? ApiErrorKind::kAlreadyExists : ApiErrorKind::kConflict;
    case 410:
      return ApiErrorKind::kGone;
    case 429:
      return ApiErrorKind::kTooManyRequests;
    default:
      return status >= 500 ? ApiErrorKind::kUnavailable : ApiErrorKind::kUnexpected;
  }
}

/// Status.details.causes[].reason
bool HasCause(const json& status, std::string_view cause) {
  const json& causes = MemberOf(MemberOf(status, "details"), "causes");
  return causes.is_array() && std::any_of(causes.begin(), causes.end(), [&](const json& one) {
           return TextAt(one, "reason") == cause;
         });
}

ApiError MakeError(int status, const json& body, std::string_view fallback, std::string_view what) {
  ApiError error;
  error.status = status;
  error.reason = OneLine(TextAt(body, "reason"));
  error.kind = KindOf(status, error.reason);
  if (error.kind == ApiErrorKind::kForbidden && HasCause(body, "NamespaceTerminating")) {
    error.kind = ApiErrorKind::kNamespaceTerminating;
  }
  std::string said = TextAt(body, "message");
  if (said.empty()) said = fallback;
  error.message =
      OneLine(std::string(what) + ": " + std::to_string(status) +
              (error.reason.empty() ? "" : " " + error.reason) + (said.empty() ? "" : ": " + said));
  return error;
}

/// Status.details.retryAfterSeconds, which proxies keep even if they drop the header.
std::optional<Duration> RetryAfterOf(const json& status) {
  const json& seconds = MemberOf(MemberOf(status, "details"), "retryAfterSeconds");
  if (!seconds.is_number_integer()) return std::nullopt;
  const auto value = seconds.get<std::int64_t>();
  if (value <= 0) return std::nullopt;
  return std::chrono::seconds(std::min<std::int64_t>(value, 3600));
}

}  // namespace

std::string_view NameOf(ApiErrorKind kind) {
  constexpr std::array<std::string_view, 11> kNames = {
      "NotFound",        "AlreadyExists", "Conflict",      "Gone",
      "TooManyRequests", "Forbidden",     "NamespaceEnds", "Invalid",
      "Unauthorized",    "Unavailable",   "Unexpected"};
  return kNames.at(static_cast<std::size_t>(kind));
}

ApiError ErrorFromResponse(const Response& response, std::string_view what) {
  const json body = json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  ApiError error = MakeError(response.status, body, body.is_object() ? "" : response.body, what);
  error.retry_after = response.retry_after ? response.retry_after : RetryAfterOf(body);
  return error;
}

ApiError ErrorFromStatus(const json& status, std::string_view what) {
  int code = 500;
  if (status.is_object() && status.contains("code") && status["code"].is_number_integer()) {
    const auto value = status["code"].get<std::int64_t>();
    if (value >= 400 && value < 600) code = static_cast<int>(value);
  }
  ApiError error = MakeError(code, status, "an error without a message", what);
  error.retry_after = RetryAfterOf(status);
  return error;
}

ApiError ErrorFromTransport(const Error& error) {
  ApiError mapped;
  mapped.kind =
      error.code == ErrorCode::kInvalidInput ? ApiErrorKind::kInvalid : ApiErrorKind::kUnavailable;
  mapped.message = OneLine(error.message);
  return mapped;
}

bool IsGoneOrReplaced(const ApiError& error) {
  return error.kind == ApiErrorKind::kNotFound || error.kind == ApiErrorKind::kConflict;
}

Error ToError(const ApiError& error) {
  switch (error.kind) {
    case ApiErrorKind::kAlreadyExists:
    case ApiErrorKind::kConflict:
      return {ErrorCode::kConflict, error.message};
    case ApiErrorKind::kInvalid:
      return {ErrorCode::kInvalidInput, error.message};
    case ApiErrorKind::kTooManyRequests:
    case ApiErrorKind::kUnavailable:
    case ApiErrorKind::kNotFound:
    case ApiErrorKind::kGone:
    case ApiErrorKind::kUnauthorized:
    case ApiErrorKind::kForbidden:
    case ApiErrorKind::kNamespaceTerminating:
      return {ErrorCode::kUnavailable, error.message};
    case ApiErrorKind::kUnexpected:
      break;
  }
  return {ErrorCode::kInternal, error.message};
}

}  // namespace evenkeel::kube
