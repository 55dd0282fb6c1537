#include "kubernetes/client.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/check.h"
#include "kubernetes/credentials.h"
#include "kubernetes/object.h"
#include "kubernetes/pacing.h"

namespace evenkeel::kube {

bool IsWorthRepeating(const Response& response, bool repeatable) {
  if (response.status == 429) return true;
  return repeatable && (response.status == 503 || response.status == 504);
}

RetryPauses::RetryPauses(const RetryPolicy& policy, std::uint64_t seed)
    : policy_(policy),
      rng_(seed),
      pause_(policy.first_pause),
      attempts_left_(policy.max_attempts - 1) {}

std::optional<Duration> RetryPauses::Next(std::optional<Duration> retry_after) {
  if (attempts_left_ <= 0) return std::nullopt;
  --attempts_left_;
  const Duration half = pause_ / 2;
  const Duration drawn = half + Duration(rng_.Between(0, half.count()));
  pause_ = std::min(pause_ * 2, policy_.longest_pause);
  const Duration asked = std::min(retry_after.value_or(Duration::zero()), policy_.longest_asked);
  return std::max(drawn, asked);
}

namespace {

using nlohmann::json;

constexpr const char* kJson = "application/json";

/// "GET /api/v1/nodes": the query is left out, it can be long.
std::string What(const Request& request) {
  return request.method + " " + request.target.substr(0, request.target.find('?'));
}

bool IsSuccess(const Response& response) { return response.status >= 200 && response.status < 300; }

ApiError Unexpected(const Request& request, int status, const std::string& what) {
  ApiError error;
  error.status = status;
  error.message = What(request) + ": " + what;
  return error;
}

/// Invalid UTF-8, which only our own texts could bring in, is replaced, not thrown about.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json DeleteBody(const DeleteOptions& options) {
  json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = *options.grace_period_seconds;
  switch (options.propagation) {
    case Propagation::kDefault:
      break;
    case Propagation::kBackground:
      body["propagationPolicy"] = "Background";
      break;
    case Propagation::kForeground:
      body["propagationPolicy"] = "Foreground";
      break;
    case Propagation::kOrphan:
      body["propagationPolicy"] = "Orphan";
      break;
  }
  return body;
}

/// Calls for different objects do not pause in step.
std::uint64_t SeedOf(const Request& request) {
  return std::hash<std::string>{}(request.target) ^ std::hash<std::string>{}(request.body);
}

std::string ApplyTarget(std::string path, const ApplyOptions& options) {
  EVENKEEL_CHECK(!options.field_manager.empty(), "server-side apply needs a field manager");
  return std::move(path) + "?fieldManager=" + PercentEncode(options.field_manager) +
         (options.force ? "&force=true" : "");
}

}  // namespace

Client::Client(Transport& transport, ClientOptions options)
    : transport_(transport), options_(std::move(options)) {}

ApiResult<Response> Client::Call(const Request& request, bool repeatable) const {
  static SteadyWaiter steady_waiter;
  Waiter& waiter = options_.waiter != nullptr ? *options_.waiter : steady_waiter;
  RetryPauses pauses(options_.retry, SeedOf(request));
  bool token_read_again = options_.tokens == nullptr || !options_.tokens->CanChange();
  for (;;) {
    Result<Response> answer = transport_.Send(request);
    if (!answer) return tl::unexpected(ErrorFromTransport(answer.error()));
    if (IsSuccess(*answer)) return *std::move(answer);
    ApiError error = ErrorFromResponse(*answer, What(request));
    if (error.kind == ApiErrorKind::kUnauthorized && !token_read_again) {
      token_read_again = true;
      options_.tokens->Refused();
      continue;
    }
    if (!IsWorthRepeating(*answer, repeatable)) return tl::unexpected(std::move(error));
    const auto pause = pauses.Next(error.retry_after);
    if (!pause || !waiter.WaitFor(*pause, options_.stop)) return tl::unexpected(std::move(error));
  }
}

ApiResult<json> Client::CallForJson(const Request& request, bool repeatable) const {
  ApiResult<Response> answer = Call(request, repeatable);
  if (!answer) return tl::unexpected(std::move(answer).error());
  json body = json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object()) {
    return tl::unexpected(Unexpected(request, answer->status, "the answer is not a JSON object"));
  }
  return body;
}

ApiResult<json> Client::Get(const Resource& resource, std::string_view namespace_name,
                            std::string_view name) const {
  return CallForJson({"GET", ObjectPath(resource, namespace_name, name), "", "", options_.timeout});
}

ApiResult<ListPage> Client::List(const Resource& resource, std::string_view namespace_name,
                                 const ListOptions& options) const {
  const Request request{"GET", ListTarget(resource, namespace_name, options), "", "",
                        options_.list_timeout};
  ApiResult<json> body = CallForJson(request);
  if (!body) return tl::unexpected(std::move(body).error());
  const auto metadata = body->find("metadata");
  const auto items = body->find("items");
  const bool has_items = items != body->end() && (items->is_array() || items->is_null());
  if (metadata == body->end() || !metadata->is_object() || !has_items) {
    return tl::unexpected(Unexpected(request, 200, "the answer is no list"));
  }
  ListPage page;
  page.resource_version = TextAt(*metadata, "resourceVersion");
  page.continue_token = TextAt(*metadata, "continue");
  if (items->is_array()) page.items = std::move(items->get_ref<json::array_t&>());
  return page;
}

ApiResult<json> Client::Create(const Resource& resource, std::string_view namespace_name,
                               const json& object, std::string_view field_manager) const {
  const bool named = !TextAt(MemberOf(object, "metadata"), "name").empty();
  std::string target = CollectionPath(resource, namespace_name);
  if (!field_manager.empty()) target += "?fieldManager=" + PercentEncode(field_manager);
  return CallForJson({"POST", std::move(target), kJson, Dump(object), options_.timeout}, named);
}

ApiResult<json> Client::Replace(const Resource& resource, std::string_view namespace_name,
                                std::string_view name, const json& object) const {
  return CallForJson(
      {"PUT", ObjectPath(resource, namespace_name, name), kJson, Dump(object), options_.timeout});
}

ApiResult<json> Client::Delete(const Resource& resource, std::string_view namespace_name,
                               std::string_view name, const DeleteOptions& options) const {
  return CallForJson({"DELETE", ObjectPath(resource, namespace_name, name), kJson,
                      Dump(DeleteBody(options)), options_.timeout});
}

ApiResult<json> Client::Apply(const Resource& resource, std::string_view namespace_name,
                              std::string_view name, const json& object,
                              const ApplyOptions& options) const {
  return Patch(ApplyTarget(ObjectPath(resource, namespace_name, name), options),
               "application/apply-patch+yaml", object);
}

ApiResult<json> Client::ApplyStatus(const Resource& resource, std::string_view namespace_name,
                                    std::string_view name, const json& object,
                                    const ApplyOptions& options) const {
  return Patch(ApplyTarget(ObjectPath(resource, namespace_name, name, "status"), options),
               "application/apply-patch+yaml", object);
}

ApiResult<json> Client::MergePatch(const Resource& resource, std::string_view namespace_name,
                                   std::string_view name, json patch,
                                   const std::string& resource_version,
                                   std::string_view subresource) const {
  if (!resource_version.empty()) patch["metadata"]["resourceVersion"] = resource_version;
  return Patch(ObjectPath(resource, namespace_name, name, subresource),
               "application/merge-patch+json", patch);
}

ApiResult<json> Client::Patch(std::string target, std::string content_type,
                              const json& body) const {
  return CallForJson(
      {"PATCH", std::move(target), std::move(content_type), Dump(body), options_.timeout});
}

ApiResult<void> Client::Watch(const Resource& resource, std::string_view namespace_name,
                              const WatchOptions& options, Duration silence, LineSink& sink,
                              std::stop_token stop) const {
  const Request request{"GET", WatchTarget(resource, namespace_name, options), "", "", silence};
  const Result<Response> answer = transport_.Stream(request, sink, std::move(stop));
  if (!answer) return tl::unexpected(ErrorFromTransport(answer.error()));
  if (answer->status == 0 || IsSuccess(*answer)) return {};
  ApiError error = ErrorFromResponse(*answer, What(request));
  if (error.kind == ApiErrorKind::kUnauthorized && options_.tokens != nullptr) {
    options_.tokens->Refused();
  }
  return tl::unexpected(std::move(error));
}

}  // namespace evenkeel::kube
