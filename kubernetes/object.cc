#include "kubernetes/object.h"

#include "core/base/check.h"
#include "platform/text.h"

namespace evenkeel::kube {

std::string ToString(const ObjectKey& key) {
  return key.namespace_name.empty() ? key.name : key.namespace_name + "/" + key.name;
}

const Json& MemberOf(const Json& object, const char* field) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(field);
  return found == object.end() ? nothing : *found;
}

std::string TextAt(const Json& object, const char* field) {
  const Json& member = MemberOf(object, field);
  return member.is_string() ? member.get<std::string>() : std::string();
}

Result<ObjectMeta> ReadMeta(const Json& object) {
  const Json& metadata = MemberOf(object, "metadata");
  ObjectMeta meta{{TextAt(metadata, "namespace"), TextAt(metadata, "name")},
                  TextAt(metadata, "resourceVersion")};
  if (meta.key.name.empty()) return InvalidInput("an object without metadata.name");
  if (meta.resource_version.empty()) {
    return InvalidInput(ToString(meta.key) + ": an object without metadata.resourceVersion");
  }
  return meta;
}

namespace {

/// "?a=b&c=d", parameter by parameter; empty values are left out.
class Query {
 public:
  explicit Query(std::string path) : target_(std::move(path)) {}

  Query& Add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    target_ += first_ ? '?' : '&';
    first_ = false;
    target_.append(name).append("=").append(PercentEncode(value));
    return *this;
  }

  [[nodiscard]] std::string Take() { return std::move(target_); }

 private:
  std::string target_;
  bool first_ = true;
};

}  // namespace

std::string ApiVersionOf(const Resource& resource) {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

std::string PercentEncode(std::string_view text) { return platform::EncodePercent(text); }

std::string CollectionPath(const Resource& resource, std::string_view namespace_name) {
  EVENKEEL_CHECK(resource.namespaced || namespace_name.empty(),
                 "a cluster-scoped resource has no namespace");
  std::string path = (resource.group.empty() ? "/api/" : "/apis/") + ApiVersionOf(resource);
  if (!namespace_name.empty()) path += "/namespaces/" + PercentEncode(namespace_name);
  return path + "/" + resource.plural;
}

std::string ObjectPath(const Resource& resource, std::string_view namespace_name,
                       std::string_view name, std::string_view subresource) {
  EVENKEEL_CHECK(!name.empty(), "an object has a name");
  EVENKEEL_CHECK(!resource.namespaced || !namespace_name.empty(),
                 "the object lives in a namespace");
  std::string path = CollectionPath(resource, namespace_name) + "/" + PercentEncode(name);
  if (!subresource.empty()) path.append("/").append(subresource);
  return path;
}

std::string ListTarget(const Resource& resource, std::string_view namespace_name,
                       const ListOptions& options) {
  // With a continue token the server takes the version from it and refuses another.
  const bool first_page = options.continue_token.empty();
  return Query(CollectionPath(resource, namespace_name))
      .Add("labelSelector", options.label_selector)
      .Add("fieldSelector", options.field_selector)
      .Add("limit", options.limit > 0 ? std::to_string(options.limit) : "")
      .Add("continue", options.continue_token)
      .Add("resourceVersion", first_page ? options.resource_version : "")
      .Take();
}

std::string WatchTarget(const Resource& resource, std::string_view namespace_name,
                        const WatchOptions& options) {
  Query query(CollectionPath(resource, namespace_name));
  query.Add("watch", "1")
      .Add("labelSelector", options.label_selector)
      .Add("fieldSelector", options.field_selector)
      .Add("resourceVersion", options.resource_version)
      .Add("allowWatchBookmarks", options.bookmarks ? "true" : "")
      .Add("timeoutSeconds",
           options.timeout_seconds > 0 ? std::to_string(options.timeout_seconds) : "");
  if (options.send_initial_events) {
    query.Add("sendInitialEvents", "true").Add("resourceVersionMatch", "NotOlderThan");
  }
  return query.Take();
}

}  // namespace evenkeel::kube
