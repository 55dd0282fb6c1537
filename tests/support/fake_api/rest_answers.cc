#include "tests/support/fake_api/rest_answers.h"

#include <map>
#include <utility>

#include "tests/support/fake_api/rest_writes.h"
#include "tests/support/fake_api/selectors.h"

namespace evenkeel::support {
namespace {

using nlohmann::json;

std::string UsualReason(int code) {
  static const std::map<int, std::string> kReasons = {
      {400, "BadRequest"},      {401, "Unauthorized"},         {403, "Forbidden"},
      {404, "NotFound"},        {405, "MethodNotAllowed"},     {409, "Conflict"},
      {410, "Expired"},         {415, "UnsupportedMediaType"}, {422, "Invalid"},
      {429, "TooManyRequests"}, {500, "InternalError"},        {503, "ServiceUnavailable"},
      {504, "Timeout"}};
  const auto found = kReasons.find(code);
  return found == kReasons.end() ? "Unknown" : found->second;
}

ListRest StartList(const ObjectStore& store, const HttpRequest& request,
                   const ApiAddress& address) {
  ListRest rest{store.version(), {}};
  for (json& object : store.All(address.collection, address.namespace_name)) {
    if (LabelsFit(object, request.Parameter("labelSelector")) &&
        FieldsFit(object, request.Parameter("fieldSelector"))) {
      rest.items.push_back(std::move(object));
    }
  }
  return rest;
}

RestAnswer AnswerList(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  const std::string token = request.Parameter("continue");
  ListRest rest;
  if (token.empty()) {
    rest = StartList(store, request, address);
  } else {
    const ListRest* const kept = store.FindRest(token);
    if (kept == nullptr) {
      return Refusal(410,
                     "The provided continue parameter is too old to display a consistent list");
    }
    rest = *kept;
  }
  const std::string limit_text = request.Parameter("limit");
  const std::size_t limit = limit_text.empty() ? 0 : std::stoul(limit_text);
  json metadata = {{"resourceVersion", std::to_string(rest.version)}};
  json items = json::array();
  std::string kind = "List";
  std::size_t taken = 0;
  for (; taken < rest.items.size() && (limit == 0 || taken < limit); ++taken) {
    json item = rest.items[taken];
    kind = item.value("kind", "") + "List";
    if (IsBuiltIn(address.collection)) {
      item.erase("kind");
      item.erase("apiVersion");
    }
    items.push_back(std::move(item));
  }
  if (taken < rest.items.size()) {
    rest.items.erase(rest.items.begin(), rest.items.begin() + static_cast<std::ptrdiff_t>(taken));
    metadata["remainingItemCount"] = rest.items.size();
    metadata["continue"] = store.KeepRest(std::move(rest));
  }
  return {200, {{"apiVersion", "v1"}, {"kind", kind}, {"metadata", metadata}, {"items", items}}};
}

RestAnswer AnswerGet(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  if (address.name.empty()) return AnswerList(store, request, address);
  const json* const object = store.Find(address.Key());
  if (object == nullptr) return Refusal(404, "\"" + address.name + "\" not found");
  return {200, *object};
}

}  // namespace

std::optional<ApiAddress> ParseAddress(const HttpRequest& request) {
  const auto& path = request.path;
  std::size_t at = 0;
  ApiAddress address;
  if (path.size() >= 3 && path[0] == "api") {
    address.collection = "/api/" + path[1] + "/";
    at = 2;
  } else if (path.size() >= 4 && path[0] == "apis") {
    address.collection = "/apis/" + path[1] + "/" + path[2] + "/";
    at = 3;
  } else {
    return std::nullopt;
  }
  // Two segments name a Namespace itself.
  if (path[at] == "namespaces" && path.size() > at + 2) {
    address.namespace_name = path[at + 1];
    at += 2;
  }
  address.collection += path[at];
  if (path.size() > at + 1) address.name = path[at + 1];
  if (path.size() > at + 2) address.subresource = path[at + 2];
  return address;
}

bool IsBuiltIn(const std::string& collection) {
  if (collection.starts_with("/api/")) return true;
  const std::string group = collection.substr(6, collection.find('/', 6) - 6);
  return group.find('.') == std::string::npos || group.ends_with(".k8s.io");
}

RestAnswer Refusal(int code, const std::string& message, std::string reason) {
  if (reason.empty()) reason = UsualReason(code);
  return {code,
          {{"kind", "Status"},
           {"apiVersion", "v1"},
           {"metadata", json::object()},
           {"status", "Failure"},
           {"message", message},
           {"reason", reason},
           {"code", code}}};
}

RestAnswer AnswerRest(ObjectStore& store, const HttpRequest& request) {
  const auto address = ParseAddress(request);
  if (!address) return Refusal(404, "the server could not find the requested resource");
  try {
    if (request.method == "GET") return AnswerGet(store, request, *address);
    if (request.method == "POST") return AnswerPost(store, request, *address);
    if (request.method == "PUT") return AnswerPut(store, request, *address);
    if (request.method == "PATCH") return AnswerPatch(store, request, *address);
    if (request.method == "DELETE") return AnswerDelete(store, request, *address);
  } catch (const std::exception& failure) {
    return Refusal(400, failure.what());
  }
  return Refusal(405, request.method + " is not supported");
}

}  // namespace evenkeel::support
