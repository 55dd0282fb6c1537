#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/base/error.h"
#include "core/base/time.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// Class of a refusal, which decides how the caller reacts.
enum class ApiErrorKind {
  kNotFound,              ///< 404
  kAlreadyExists,         ///< 409 with that reason
  kConflict,              ///< other 409: another writer was faster; read again
  kGone,                  ///< 410: the resourceVersion or continue token is too old; list anew
  kTooManyRequests,       ///< 429
  kForbidden,             ///< 403: RBAC, quota, admission
  kNamespaceTerminating,  ///< 403: all that is in that namespace is being deleted
  kInvalid,               ///< 400, 413, 415, 422: sending it again will not help
  kUnauthorized,          ///< 401
  kUnavailable,           ///< no answer, or 5xx: later perhaps
  kUnexpected             ///< everything else, such as an answer that is not JSON
};

struct ApiError {
  ApiErrorKind kind = ApiErrorKind::kUnexpected;
  int status = 0;       ///< of HTTP; 0: no answer
  std::string message;  ///< one line, for people
  std::string reason;   ///< Status.reason, such as "Expired"; empty if there was none
  std::optional<Duration> retry_after;
};

template <typename T>
using ApiResult = tl::expected<T, ApiError>;

/// Name of the kind, for metrics and logs: "NotFound", ...
[[nodiscard]] std::string_view NameOf(ApiErrorKind kind);

/// Whether a write that names a UID or version failed because the object is not there any more, or
/// is another one or another version by now.
[[nodiscard]] bool IsGoneOrReplaced(const ApiError& error);

/// From an answer that is not 2xx. `what` begins the message: "GET /api/v1/nodes".
[[nodiscard]] ApiError ErrorFromResponse(const Response& response, std::string_view what);

/// From a Status object, as ERROR events of a watch carry it.
[[nodiscard]] ApiError ErrorFromStatus(const nlohmann::json& status, std::string_view what);

/// From a request to which no answer came.
[[nodiscard]] ApiError ErrorFromTransport(const Error& error);

/// For callers that deal in Errors: kConflict, kUnavailable, kInvalidInput or kInternal.
[[nodiscard]] Error ToError(const ApiError& error);

}  // namespace evenkeel::kube
