#include "kubernetes/api_error.h"

#include <gtest/gtest.h>

namespace evenkeel::kube {
namespace {

using nlohmann::json;

Response StatusAnswer(int code, const std::string& reason) {
  return {code, json({{"kind", "Status"}, {"reason", reason}, {"message", "said so"}}).dump(), {}};
}

TEST(ApiError, ATerminatingNamespaceIsNotForbidden) {
  json status{{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "m"}};
  status["details"]["causes"] = json::array({{{"reason", "NamespaceTerminating"}}});
  EXPECT_EQ(ErrorFromResponse({403, status.dump(), {}}, "POST /x").kind,
            ApiErrorKind::kNamespaceTerminating);
  status["details"]["causes"] = json::array({{{"reason", "FieldValueInvalid"}}, 3});
  EXPECT_EQ(ErrorFromResponse({403, status.dump(), {}}, "POST /x").kind, ApiErrorKind::kForbidden);
  status["details"] = "nothing";
  EXPECT_EQ(ErrorFromResponse({403, status.dump(), {}}, "POST /x").kind, ApiErrorKind::kForbidden);
}

TEST(ApiError, KindFollowsFromStatusAndReason) {
  const auto kind = [](int code, const std::string& reason) {
    return ErrorFromResponse(StatusAnswer(code, reason), "GET /x").kind;
  };
  EXPECT_EQ(kind(404, "NotFound"), ApiErrorKind::kNotFound);
  EXPECT_EQ(kind(409, "AlreadyExists"), ApiErrorKind::kAlreadyExists);
  EXPECT_EQ(kind(409, "Conflict"), ApiErrorKind::kConflict);
  EXPECT_EQ(kind(410, "Expired"), ApiErrorKind::kGone);
  EXPECT_EQ(kind(410, "Gone"), ApiErrorKind::kGone);
  EXPECT_EQ(kind(429, "TooManyRequests"), ApiErrorKind::kTooManyRequests);
  EXPECT_EQ(kind(403, "Forbidden"), ApiErrorKind::kForbidden);
  EXPECT_EQ(kind(422, "Invalid"), ApiErrorKind::kInvalid);
  EXPECT_EQ(kind(400, "BadRequest"), ApiErrorKind::kInvalid);
  EXPECT_EQ(kind(413, "RequestEntityTooLarge"), ApiErrorKind::kInvalid);
  EXPECT_EQ(kind(401, "Unauthorized"), ApiErrorKind::kUnauthorized);
  EXPECT_EQ(kind(500, "InternalError"), ApiErrorKind::kUnavailable);
  EXPECT_EQ(kind(504, "Timeout"), ApiErrorKind::kUnavailable);
  EXPECT_EQ(kind(302, ""), ApiErrorKind::kUnexpected);
}

TEST(ApiError, MessageIsOneLineThatSaysWhatFailedAndWhy) {
  const ApiError error = ErrorFromResponse(StatusAnswer(404, "NotFound"), "GET /api/v1/nodes/a");
  EXPECT_EQ(error.message, "GET /api/v1/nodes/a: 404 NotFound: said so");
  EXPECT_EQ(error.reason, "NotFound");
  EXPECT_EQ(error.status, 404);
}

TEST(ApiError, OtherBodiesAreQuotedWithinBounds) {
  const ApiError proxy = ErrorFromResponse({502, "<html>\nbad\x01 gateway</html>", {}}, "GET /x");
  EXPECT_EQ(proxy.message, "GET /x: 502: <html> bad  gateway</html>");
  const ApiError flood = ErrorFromResponse({500, std::string(1u << 20, 'x'), {}}, "GET /x");
  EXPECT_LT(flood.message.size(), 2000u);
  for (const char* body : {"[]", "1", "{\"reason\":7,\"message\":[],\"details\":3}", ""}) {
    EXPECT_EQ(ErrorFromResponse({404, body, {}}, "GET /x").kind, ApiErrorKind::kNotFound) << body;
  }
}

TEST(ApiError, RetryAfterComesFromTheHeaderOrTheDetails) {
  const json status = {{"details", {{"retryAfterSeconds", 3}}}, {"code", 429}};
  EXPECT_EQ(ErrorFromResponse({429, status.dump(), {}}, "x").retry_after, std::chrono::seconds(3));
  EXPECT_EQ(ErrorFromResponse({429, status.dump(), std::chrono::seconds(9)}, "x").retry_after,
            std::chrono::seconds(9));
  EXPECT_FALSE(ErrorFromResponse({429, "{}", {}}, "x").retry_after);
  const json forever = {{"details", {{"retryAfterSeconds", 1'000'000'000}}}, {"code", 429}};
  EXPECT_EQ(ErrorFromResponse({429, forever.dump(), {}}, "x").retry_after, std::chrono::hours(1));
}

TEST(ApiError, ErrorEventsOfAWatchCarryTheirCode) {
  const json gone = {{"kind", "Status"}, {"code", 410}, {"reason", "Expired"}, {"message", "old"}};
  EXPECT_EQ(ErrorFromStatus(gone, "watch").kind, ApiErrorKind::kGone);
  for (const json& nonsense :
       {json(nullptr), json(7), json({{"code", "x"}}), json({{"code", 7}})}) {
    const ApiError error = ErrorFromStatus(nonsense, "watch");
    EXPECT_EQ(error.kind, ApiErrorKind::kUnavailable);
    EXPECT_EQ(error.message, "watch: 500: an error without a message");
  }
}

TEST(ApiError, MapsToErrorsOfTheRestOfTheProject) {
  ApiError error;
  error.message = "x";
  error.kind = ApiErrorKind::kConflict;
  EXPECT_EQ(ToError(error).code, ErrorCode::kConflict);
  error.kind = ApiErrorKind::kInvalid;
  EXPECT_EQ(ToError(error).code, ErrorCode::kInvalidInput);
  error.kind = ApiErrorKind::kUnavailable;
  EXPECT_EQ(ToError(error).code, ErrorCode::kUnavailable);
  EXPECT_EQ(NameOf(ApiErrorKind::kTooManyRequests), "TooManyRequests");
  EXPECT_EQ(NameOf(ApiErrorKind::kUnexpected), "Unexpected");
}

}  // namespace
}  // namespace evenkeel::kube
