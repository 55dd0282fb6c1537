#include "tests/support/fake_api/rest_writes.h"

#include <optional>
#include <utility>

#include "tests/support/fake_api/server_side_apply.h"

namespace evenkeel::support {
namespace {

using nlohmann::json;

std::string MetadataText(const json& object, const char* field) {
  if (!object.contains("metadata")) return "";
  return object["metadata"].value(field, std::string());
}

bool HasFinalizers(const json& object) {
  const json::json_pointer where("/metadata/finalizers");
  return object.contains(where) && !object[where].empty();
}

/// The body, which has to say what it is.
std::optional<json> ObjectIn(const HttpRequest& request) {
  json body = json::parse(request.body);
  if (!body.is_object() || !body.contains("kind") || !body.contains("apiVersion")) {
    return std::nullopt;
  }
  return body;
}

RestAnswer MissingKind() { return Refusal(400, "Object 'Kind' is missing in the body"); }

RestAnswer NotFound(const ApiAddress& address) {
  return Refusal(404, "\"" + address.name + "\" not found");
}

/// Keeps the metadata that belongs to the server; writers cannot change it.
void KeepServerFields(const json& current, json& next) {
  for (const char* const field :
       {"uid", "creationTimestamp", "generation", "deletionTimestamp", "resourceVersion"}) {
    next["metadata"].erase(field);
    if (current["metadata"].contains(field)) {
      next["metadata"][field] = current["metadata"][field];
    }
  }
}

void TakeStatusFrom(const json& source, json& object) {
  object.erase("status");
  if (source.contains("status")) object["status"] = source["status"];
}

bool SpecDiffers(json left, json right) {
  for (json* const side : {&left, &right}) {
    side->erase("metadata");
    side->erase("status");
  }
  return left != right;
}

/// Replaces `current` by `wanted`, of which only status counts, or all but status.
RestAnswer Update(ObjectStore& store, const ApiAddress& address, const json& current,
                  const json& wanted) {
  const bool on_status = address.subresource == "status";
  json next = on_status ? current : wanted;
  TakeStatusFrom(on_status ? wanted : current, next);
  KeepServerFields(current, next);
  if (next == current) return {200, current};
  if (SpecDiffers(next, current)) {
    next["metadata"]["generation"] = current["metadata"].value("generation", 1) + 1;
  }
  const bool goes = next["metadata"].contains("deletionTimestamp") && !HasFinalizers(next);
  const json written = store.Write(address.Key(), std::move(next));
  if (goes) store.Remove(address.Key());
  return {200, written};
}

/// Preconditions that a body's metadata states; nothing if they hold.
std::optional<RestAnswer> Clash(const json& current, const std::string& uid,
                                const std::string& version) {
  if (!uid.empty() && uid != MetadataText(current, "uid")) {
    return Refusal(409, "Precondition failed: UID in precondition: " + uid);
  }
  if (!version.empty() && version != MetadataText(current, "resourceVersion")) {
    return Refusal(409,
                   "the object has been modified; please apply your changes to the latest"
                   " version and try again");
  }
  return std::nullopt;
}

RestAnswer Create(ObjectStore& store, const ApiAddress& address, json object) {
  object.erase("status");
  object["metadata"].erase("resourceVersion");
  return {201, store.Write(address.Key(), std::move(object))};
}

RestAnswer AnswerApply(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  const std::string manager = request.Parameter("fieldManager");
  if (manager.empty()) return Refusal(400, "fieldManager is required for apply patch");
  const auto body = ObjectIn(request);
  if (!body) return MissingKind();
  if (MetadataText(*body, "name") != address.name) {
    return Refusal(400, "the name in the body is not the one in the URL");
  }
  const json* const current = store.Find(address.Key());
  const bool on_status = address.subresource == "status";
  if (current == nullptr && on_status) return NotFound(address);
  if (current != nullptr) {
    const auto clash =
        Clash(*current, MetadataText(*body, "uid"), MetadataText(*body, "resourceVersion"));
    if (clash) return *clash;
  }
  const json before = current == nullptr ? json() : *current;
  auto applied = ApplyFields(before, *body, manager + (on_status ? " on status" : ""),
                             request.Parameter("force") == "true", store.ManagersOf(address.Key()));
  if (!applied) return Refusal(409, "Apply failed with conflicts: another manager has the field");
  if (before.is_null()) return Create(store, address, *std::move(applied));
  return Update(store, address, before, *applied);
}

}  // namespace

RestAnswer AnswerPost(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  if (!address.name.empty()) return Refusal(405, "POST goes to collections");
  auto body = ObjectIn(request);
  if (!body) return MissingKind();
  ApiAddress created = address;
  created.name = MetadataText(*body, "name");
  const std::string namespace_name = MetadataText(*body, "namespace");
  if (!namespace_name.empty() && namespace_name != address.namespace_name) {
    return Refusal(400, "the namespace of the object does not match the request");
  }
  if (created.name.empty()) {
    const std::string beginning = MetadataText(*body, "generateName");
    if (beginning.empty()) return Refusal(422, "name or generateName is required");
    created.name = beginning + std::to_string(store.version());
  }
  if (store.Find(created.Key()) != nullptr) {
    return Refusal(409, "\"" + created.name + "\" already exists", "AlreadyExists");
  }
  return Create(store, created, *std::move(body));
}

RestAnswer AnswerPut(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  const auto body = ObjectIn(request);
  if (!body) return MissingKind();
  const json* const current = store.Find(address.Key());
  if (current == nullptr) return NotFound(address);
  const auto clash =
      Clash(*current, MetadataText(*body, "uid"), MetadataText(*body, "resourceVersion"));
  if (clash) return *clash;
  const json before = *current;
  return Update(store, address, before, *body);
}

RestAnswer AnswerPatch(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  const std::string type = request.Header("content-type");
  if (type.starts_with("application/apply-patch+yaml")) {
    return AnswerApply(store, request, address);
  }
  if (!type.starts_with("application/merge-patch+json")) {
    return Refusal(415, "the fake server knows merge patches and apply");
  }
  const json* const current = store.Find(address.Key());
  if (current == nullptr) return NotFound(address);
  const json patch = json::parse(request.body);
  const auto clash =
      Clash(*current, MetadataText(patch, "uid"), MetadataText(patch, "resourceVersion"));
  if (clash) return *clash;
  const json before = *current;
  json patched = before;
  patched.merge_patch(patch);
  return Update(store, address, before, patched);
}

RestAnswer AnswerDelete(ObjectStore& store, const HttpRequest& request, const ApiAddress& address) {
  const json* const current = store.Find(address.Key());
  if (current == nullptr) return NotFound(address);
  const json options = request.body.empty() ? json::object() : json::parse(request.body);
  const json wanted = options.value("preconditions", json::object());
  const auto clash = Clash(*current, wanted.value("uid", std::string()),
                           wanted.value("resourceVersion", std::string()));
  if (clash) return *clash;
  json last = *current;
  if (!HasFinalizers(last)) {
    store.Remove(address.Key());
    return {200, std::move(last)};
  }
  if (!last["metadata"].contains("deletionTimestamp")) {
    last["metadata"]["deletionTimestamp"] = "2024-01-02T00:00:00Z";
    last = store.Write(address.Key(), std::move(last));
  }
  return {200, std::move(last)};
}

}  // namespace evenkeel::support
