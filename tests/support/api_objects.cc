#include "tests/support/api_objects.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

#include "platform/time.h"

namespace evenkeel::support {
namespace {

using nlohmann::json;
using Pointer = json::json_pointer;

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// Takes percent-encoding away.
std::string Decode(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool encoded = text[i] == '%' && i + 2 < text.size();
    decoded += encoded ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    if (encoded) i += 2;
  }
  return decoded;
}

std::map<std::string, std::string> QueryOf(const std::string& target) {
  std::map<std::string, std::string> query;
  const std::size_t mark = target.find('?');
  if (mark == std::string::npos) return query;
  for (const std::string& parameter : Split(target.substr(mark + 1), '&')) {
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    query[Decode(parameter.substr(0, equals))] =
        equals == parameter.size() ? "" : Decode(parameter.substr(equals + 1));
  }
  return query;
}

std::string TextIn(const json& metadata, const char* field) {
  return metadata.is_object() ? metadata.value(field, std::string()) : std::string();
}

const json& MetadataOf(const json& object) {
  static const json kNone = json::object();
  const auto found = object.find("metadata");
  return found == object.end() ? kNone : *found;
}

/// One more than before if anything but metadata and status changed.
std::int64_t NextGeneration(const json& current, const json& next) {
  const auto without_rest = [](json object) {
    object.erase("metadata");
    object.erase("status");
    return object;
  };
  const bool changed = without_rest(next) != without_rest(current);
  return MetadataOf(current).value("generation", std::int64_t{1}) + (changed ? 1 : 0);
}

/// Whether the object has what a selector such as "a=b,c!=d,!e,f" asks for. `fields`: names are
/// paths, and what is absent counts as empty.
bool Selected(const json& object, const std::string& selector, bool fields) {
  std::istringstream terms(selector);
  for (std::string term; std::getline(terms, term, ',');) {
    if (term.empty()) continue;
    const bool absent = term.front() == '!';
    const std::size_t equals = term.find('=');
    const bool differs = equals != std::string::npos && equals > 0 && term[equals - 1] == '!';
    std::string name = term.substr(absent ? 1 : 0, differs ? equals - 1 : equals);
    Pointer where("/metadata/labels");
    if (fields) {
      where = Pointer();
      std::istringstream parts(name);
      for (std::string part; std::getline(parts, part, '.');) where /= part;
    } else {
      where /= name;
    }
    const bool there = object.contains(where) && object[where].is_string();
    if (equals == std::string::npos) {
      if (there == absent) return false;
      continue;
    }
    const std::string wanted = term.substr(term.find_first_not_of('=', equals) == std::string::npos
                                               ? term.size()
                                               : term.find_first_not_of('=', equals));
    const bool equal = there ? object[where] == wanted : fields && wanted.empty();
    if (equal == differs) return false;
  }
  return true;
}

/// The places of all values that are no objects with fields, without those that name the object.
std::set<std::string> LeavesOf(const json& object) {
  std::set<std::string> leaves;
  const json flat = object.flatten();
  for (const auto& [place, value] : flat.items()) {
    // Lists are owned as a whole.
    std::string owned = place;
    for (Pointer above(place); !above.empty(); above.pop_back()) {
      if (object[above].is_array()) owned = above.to_string();
    }
    leaves.insert(owned);
  }
  for (const char* const name :
       {"", "/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "/metadata/uid",
        "/metadata/resourceVersion"}) {
    leaves.erase(name);
  }
  return leaves;
}

void EraseAt(json& object, const std::string& leaf) {
  const Pointer where(leaf);
  if (object.contains(where)) object[where.parent_pointer()].erase(where.back());
}

bool HasFinalizers(const json& object) {
  const auto found = MetadataOf(object).find("finalizers");
  return found != MetadataOf(object).end() && !found->empty();
}

/// Why a write or deletion that states these is refused; nothing: they hold.
std::optional<ApiAnswer> Clash(const json& current, const json& stated) {
  for (const char* const field : {"uid", "resourceVersion"}) {
    const std::string wanted = TextIn(stated, field);
    if (wanted.empty() || wanted == TextIn(MetadataOf(current), field)) continue;
    return Refusal(409, std::string("the object has another ") + field + ", not " + wanted);
  }
  return std::nullopt;
}

std::string LineOf(const char* type, const json& object) {
  return json({{"type", type}, {"object", object}}).dump() + "\n";
}

ApiAnswer NotFound(const std::string& name) { return Refusal(404, "\"" + name + "\" not found"); }

}  // namespace

/// The target of a request, parsed.
struct ApiObjects::Address {
  std::string collection;  // empty: not one of an API
  std::string namespace_name;
  std::string name;  // empty: all
  std::string subresource;
  std::map<std::string, std::string> query;

  explicit Address(const std::string& target) {
    query = QueryOf(target);
    std::deque<std::string> path;
    for (const auto& part : Split(target.substr(0, target.find('?')), '/')) {
      path.push_back(Decode(part));
    }
    const std::size_t head = !path.empty() && path[0] == "api" ? 2 : 3;
    if (path.size() <= head || (path[0] != "api" && path[0] != "apis")) return;
    for (std::size_t n = 0; n < head; ++n) {
      collection += "/" + path.front();
      path.pop_front();
    }
    if (path[0] == "namespaces" && path.size() > 2) {  // two segments name a Namespace itself
      namespace_name = path[1];
      path.erase(path.begin(), path.begin() + 2);
    }
    collection += "/" + path[0];
    if (path.size() > 1) name = path[1];
    if (path.size() > 2) subresource = path[2];
  }

  [[nodiscard]] Key ToKey() const { return {collection, namespace_name, name}; }
  [[nodiscard]] std::string Parameter(const char* key) const {
    const auto found = query.find(key);
    return found == query.end() ? "" : found->second;
  }
  [[nodiscard]] bool Selects(const json& object) const {
    const std::string place = TextIn(MetadataOf(object), "namespace");
    return (namespace_name.empty() || place == namespace_name) &&
           Selected(object, Parameter("labelSelector"), false) &&
           Selected(object, Parameter("fieldSelector"), true);
  }
  /// Items of built-in kinds carry no kind in lists.
  [[nodiscard]] bool IsBuiltIn() const {
    if (collection.starts_with("/api/")) return true;
    const std::string group = collection.substr(6, collection.find('/', 6) - 6);
    return group.find('.') == std::string::npos || group.ends_with(".k8s.io");
  }
  [[nodiscard]] bool Streams() const { return Parameter("sendInitialEvents") == "true"; }
};

bool ApiRequest::IsWatch() const {
  const auto query = QueryOf(target);
  const auto watch = query.find("watch");
  return method == "GET" && watch != query.end() &&
         (watch->second == "1" || watch->second == "true");
}

ApiAnswer Refusal(int code, const std::string& message, std::string reason) {
  static const std::map<int, const char*> kReasons = {
      {400, "BadRequest"},      {401, "Unauthorized"},         {403, "Forbidden"},
      {404, "NotFound"},        {405, "MethodNotAllowed"},     {409, "Conflict"},
      {410, "Expired"},         {415, "UnsupportedMediaType"}, {422, "Invalid"},
      {429, "TooManyRequests"}, {500, "InternalError"},        {503, "ServiceUnavailable"},
      {504, "Timeout"}};
  if (reason.empty() && kReasons.contains(code)) reason = kReasons.at(code);
  return {code,
          {{"kind", "Status"},
           {"apiVersion", "v1"},
           {"metadata", json::object()},
           {"status", "Failure"},
           {"message", message},
           {"reason", reason},
           {"code", code}}};
}

// ---- Objects ----

const json& ApiObjects::Write(const Key& key, json object) {
  json& place = objects_[key];
  json before = std::exchange(place, {});
  json& metadata = object["metadata"];
  metadata["name"] = std::get<2>(key);
  if (!std::get<1>(key).empty()) metadata["namespace"] = std::get<1>(key);
  if (before.is_null()) {
    char uid[37];
    std::snprintf(uid, sizeof(uid), "00000000-0000-4000-8000-%012d", ++created_);
    metadata["uid"] = uid;
    metadata["creationTimestamp"] = platform::FormatTimestamp(
        platform::Timestamp(std::chrono::system_clock::now().time_since_epoch()));
    metadata["generation"] = 1;
  }
  metadata["resourceVersion"] = std::to_string(++version_);
  place = std::move(object);
  events_.push_back({version_, false, std::get<0>(key), place, std::move(before)});
  return place;
}

void ApiObjects::Remove(const Key& key) {
  const auto found = objects_.extract(key);
  if (found.empty()) return;
  applied_.erase(key);
  json gone = found.mapped();
  gone["metadata"]["resourceVersion"] = std::to_string(++version_);
  events_.push_back({version_, true, std::get<0>(key), std::move(gone), found.mapped()});
}

json ApiObjects::Put(const std::string& collection, json object) {
  const json metadata = MetadataOf(object);
  const Key key{collection, TextIn(metadata, "namespace"), TextIn(metadata, "name")};
  if (const auto current = objects_.find(key); current != objects_.end()) {
    for (const char* const field : {"uid", "creationTimestamp"}) {
      object["metadata"][field] = current->second["metadata"][field];
    }
    object["metadata"]["generation"] = NextGeneration(current->second, object);
  }
  return Write(key, std::move(object));
}

bool ApiObjects::Erase(const std::string& collection, const std::string& namespace_name,
                       const std::string& name) {
  const Key key{collection, namespace_name, name};
  const bool there = objects_.contains(key);
  Remove(key);
  return there;
}

std::optional<json> ApiObjects::Find(const std::string& collection,
                                     const std::string& namespace_name,
                                     const std::string& name) const {
  const auto found = objects_.find({collection, namespace_name, name});
  return found == objects_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<json> ApiObjects::All(const std::string& collection,
                                  const std::string& namespace_name) const {
  std::vector<json> all;
  for (auto at = objects_.lower_bound({collection, namespace_name, ""});
       at != objects_.end() && std::get<0>(at->first) == collection &&
       (namespace_name.empty() || std::get<1>(at->first) == namespace_name);
       ++at) {
    all.push_back(at->second);
  }
  return all;
}

void ApiObjects::Compact() {
  oldest_ = version_;
  pages_.clear();
}

// ---- Requests ----

ApiAnswer ApiObjects::Answer(const ApiRequest& request) {
  const Address address(request.target);
  if (address.collection.empty()) return Refusal(404, "there is no such resource");
  try {
    if (request.method == "POST") return Post(address, request);
    if (request.method == "GET" && address.name.empty()) return List(address);
    if (request.method == "PATCH") return Patch(address, request);
    const auto current = objects_.find(address.ToKey());
    if (current == objects_.end()) return NotFound(address.name);
    if (request.method == "GET") return {200, current->second};
    if (request.method == "DELETE") return Delete(address, request);
    if (request.method == "PUT") return Replace(address, json::parse(request.body));
  } catch (const json::exception& failure) {
    return Refusal(400, failure.what());
  }
  return Refusal(405, request.method + " is not supported");
}

ApiAnswer ApiObjects::List(const Address& address) {
  Page page{version_, {}};
  if (const std::string token = address.Parameter("continue"); !token.empty()) {
    const auto kept = pages_.find(token);
    if (kept == pages_.end()) return Refusal(410, "the continue token is too old");
    page = kept->second;
  } else {
    for (json& object : All(address.collection, address.namespace_name)) {
      if (address.Selects(object)) page.items.push_back(std::move(object));
    }
  }
  const std::string limit = address.Parameter("limit");
  const std::size_t wanted = limit.empty() || limit == "0" ? page.items.size() : std::stoul(limit);
  json items = json::array();
  std::string kind;
  while (!page.items.empty() && items.size() < wanted) {
    json item = std::move(page.items.front());
    page.items.pop_front();
    kind = TextIn(item, "kind");
    if (address.IsBuiltIn()) {
      item.erase("kind");
      item.erase("apiVersion");
    }
    items.push_back(std::move(item));
  }
  json metadata = {{"resourceVersion", std::to_string(page.version)}};
  if (!page.items.empty()) {
    // Characters that have to be encoded in a query, as real tokens have them.
    const std::string token = "rest/" + std::to_string(pages_.size()) + "+==";
    metadata["remainingItemCount"] = page.items.size();
    metadata["continue"] = token;
    pages_[token] = std::move(page);
  }
  return {
      200,
      {{"apiVersion", "v1"}, {"kind", kind + "List"}, {"metadata", metadata}, {"items", items}}};
}

ApiAnswer ApiObjects::Create(const Address& address, json object) {
  object.erase("status");
  object["metadata"].erase("resourceVersion");
  return {201, Write(address.ToKey(), std::move(object))};
}

ApiAnswer ApiObjects::Post(const Address& address, const ApiRequest& request) {
  json body = json::parse(request.body);
  if (!address.IsBuiltIn() && TextIn(body, "kind").empty()) {
    return Refusal(400, "Object 'Kind' is missing");
  }
  const json& metadata = MetadataOf(body);
  const std::string place = TextIn(metadata, "namespace");
  if (!place.empty() && place != address.namespace_name) {
    return Refusal(400, "the namespace of the object is not that of the request");
  }
  Address created = address;
  created.name = TextIn(metadata, "name");
  if (created.name.empty()) {
    const std::string beginning = TextIn(metadata, "generateName");
    if (beginning.empty()) return Refusal(422, "name or generateName is required");
    created.name = beginning + std::to_string(version_);
  }
  if (objects_.contains(created.ToKey())) {
    return Refusal(409, "\"" + created.name + "\" already exists", "AlreadyExists");
  }
  return Create(created, std::move(body));
}

ApiAnswer ApiObjects::Replace(const Address& address, const json& wanted) {
  if (!address.IsBuiltIn() && TextIn(MetadataOf(wanted), "resourceVersion").empty()) {
    return Refusal(422, "metadata.resourceVersion must be given for an update");
  }
  return Update(address, wanted);
}

/// Replaces the object by `wanted`, of which only the status counts, or everything but the status.
/// Metadata that belongs to the server stays. An update without changes makes no new version.
ApiAnswer ApiObjects::Update(const Address& address, const json& wanted) {
  const json current = objects_.at(address.ToKey());
  if (auto clash = Clash(current, MetadataOf(wanted))) return *std::move(clash);
  const bool on_status = address.subresource == "status";
  json next = on_status ? current : wanted;
  const json& with_status = on_status ? wanted : current;
  next.erase("status");
  if (with_status.contains("status")) next["status"] = with_status["status"];
  for (const char* const field :
       {"uid", "creationTimestamp", "generation", "deletionTimestamp", "resourceVersion"}) {
    next["metadata"].erase(field);
    if (current["metadata"].contains(field)) next["metadata"][field] = current["metadata"][field];
  }
  if (next == current) return {200, current};
  next["metadata"]["generation"] = NextGeneration(current, next);
  const bool goes = next["metadata"].contains("deletionTimestamp") && !HasFinalizers(next);
  const json written = Write(address.ToKey(), std::move(next));
  if (goes) Remove(address.ToKey());
  return {200, written};
}

ApiAnswer ApiObjects::Patch(const Address& address, const ApiRequest& request) {
  if (request.content_type.starts_with("application/apply-patch+yaml")) {
    return Apply(address, request);
  }
  if (!request.content_type.starts_with("application/merge-patch+json")) {
    return Refusal(415, "only merge patches and apply are known");
  }
  const auto current = objects_.find(address.ToKey());
  if (current == objects_.end()) return NotFound(address.name);
  const json patch = json::parse(request.body);
  if (auto clash = Clash(current->second, MetadataOf(patch))) return *std::move(clash);
  json patched = current->second;
  patched.merge_patch(patch);
  return Update(address, patched);
}

/// Server-side apply: each field belongs to the managers that applied it last. A field of others
/// with another value is a conflict, or is taken over with `force`; a field that its only manager
/// leaves out is removed.
ApiAnswer ApiObjects::Apply(const Address& address, const ApiRequest& request) {
  const bool on_status = address.subresource == "status";
  std::string manager = address.Parameter("fieldManager");
  if (manager.empty()) return Refusal(400, "fieldManager is required for apply");
  if (on_status) manager += " on status";
  const json body = json::parse(request.body);
  if (TextIn(body, "kind").empty()) return Refusal(400, "Object 'Kind' is missing");
  if (TextIn(MetadataOf(body), "name") != address.name) {
    return Refusal(400, "the name in the body is not the one in the URL");
  }
  const auto current = objects_.find(address.ToKey());
  const bool there = current != objects_.end();
  if (!there && on_status) return NotFound(address.name);
  if (!there && MetadataOf(body).contains("uid")) {
    return Refusal(409, "there is no object with this uid");
  }
  if (there) {
    const std::string uid = TextIn(MetadataOf(body), "uid");
    if (!uid.empty() && uid != current->second["metadata"]["uid"]) {
      return Refusal(422, "metadata.uid: field is immutable");
    }
    if (auto clash = Clash(current->second, MetadataOf(body))) return *std::move(clash);
  }
  json object = there ? current->second : json::object();
  auto managers = applied_[address.ToKey()];
  const std::set<std::string> wanted = LeavesOf(body);
  std::set<std::string> of_others;
  for (auto& [other, applied] : managers) {
    if (other == manager) continue;
    for (const std::string& leaf : LeavesOf(applied)) {
      of_others.insert(leaf);
      const Pointer where(leaf);
      if (!wanted.contains(leaf) || !object.contains(where) || object[where] == body[where])
        continue;
      if (address.Parameter("force") != "true") {
        return Refusal(409, "Apply failed with a conflict: " + leaf + " belongs to " + other);
      }
      EraseAt(applied, leaf);
    }
  }
  for (const std::string& leaf : LeavesOf(managers[manager])) {
    if (!wanted.contains(leaf) && !of_others.contains(leaf)) EraseAt(object, leaf);
  }
  object.update(body, /*merge_objects=*/true);
  managers[manager] = body;
  applied_[address.ToKey()] = std::move(managers);
  return there ? Update(address, object) : Create(address, std::move(object));
}

ApiAnswer ApiObjects::Delete(const Address& address, const ApiRequest& request) {
  json current = objects_.at(address.ToKey());
  const json options = request.body.empty() ? json::object() : json::parse(request.body);
  if (auto clash = Clash(current, options.value("preconditions", json::object()))) {
    return *std::move(clash);
  }
  if (!HasFinalizers(current)) {
    Remove(address.ToKey());
  } else if (!current["metadata"].contains("deletionTimestamp")) {
    current["metadata"]["deletionTimestamp"] = "2024-01-02T00:00:00Z";
    current = Write(address.ToKey(), std::move(current));
  }
  return {200, std::move(current)};
}

// ---- Watches ----

std::optional<ApiAnswer> ApiObjects::RefuseWatch(const ApiRequest& request) const {
  const Address address(request.target);
  if (address.collection.empty()) return Refusal(404, "there is no such resource");
  if (!address.Streams()) return std::nullopt;
  if (streaming_lists_status != 0) {
    return Refusal(streaming_lists_status, "sendInitialEvents is forbidden for watch");
  }
  if (address.Parameter("resourceVersionMatch") != "NotOlderThan") {
    return Refusal(422, "resourceVersionMatch is required with sendInitialEvents");
  }
  return std::nullopt;
}

bool ApiObjects::Collect(Watch& watch, std::vector<std::string>& lines) const {
  const Address address(watch.request.target);
  const auto bookmark = [&](bool end_of_initial_events) {
    json metadata = {{"resourceVersion", std::to_string(version_)}};
    if (end_of_initial_events) metadata["annotations"]["k8s.io/initial-events-end"] = "true";
    lines.push_back(LineOf("BOOKMARK", {{"kind", "Bookmark"}, {"metadata", metadata}}));
  };
  if (!std::exchange(watch.begun, true)) {
    const std::string version = address.Parameter("resourceVersion");
    if (!address.Streams() && !version.empty() && version != "0") {
      const std::int64_t after = std::stoll(version);
      if (after < oldest_) {
        lines.push_back(LineOf("ERROR", Refusal(410, "too old resource version").body));
        return false;
      }
      while (!IsCurrent(watch) && events_[watch.position].version <= after) ++watch.position;
    } else {
      for (const json& object : All(address.collection, address.namespace_name)) {
        if (address.Selects(object)) lines.push_back(LineOf("ADDED", object));
      }
      watch.position = events_.size();
      if (address.Streams()) bookmark(true);
    }
  }
  for (; !IsCurrent(watch); ++watch.position) {
    const Event& event = events_[watch.position];
    if (event.collection != address.collection) continue;
    // A change that takes an object in or out of the selection looks like ADDED or DELETED.
    const bool now = !event.deleted && address.Selects(event.object);
    const bool before = !event.before.is_null() && address.Selects(event.before);
    if (now) lines.push_back(LineOf(before ? "MODIFIED" : "ADDED", event.object));
    if (!now && before) lines.push_back(LineOf("DELETED", event.object));
  }
  if (std::exchange(watch.bookmark_due, false) &&
      address.Parameter("allowWatchBookmarks") == "true") {
    bookmark(false);
  }
  return true;
}

}  // namespace evenkeel::support
