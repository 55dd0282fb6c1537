#include "tests/support/real_api.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "core/base/check.h"
#include "kubernetes/config.h"
#include "kubernetes/cpprest_transport.h"

namespace evenkeel::support {
namespace {

using kube::Resource;
using nlohmann::json;

struct Kind {
  Resource resource;
  const char* name;
  bool has_status = false;
};

/// The kinds that tests use.
const std::array<Kind, 10>& Kinds() {
  static const std::array<Kind, 10> kKinds{{
      {{"batch.evenkeel.dev", "v1alpha1", "weightedjobs"}, "WeightedJob", true},
      {{"batch.evenkeel.dev", "v1alpha1", "weightingpolicies", false}, "WeightingPolicy", true},
      {{"contract.evenkeel.dev", "v1", "things"}, "Thing", true},
      {{"", "v1", "pods"}, "Pod", true},
      {{"", "v1", "services"}, "Service"},
      {{"", "v1", "configmaps"}, "ConfigMap"},
      {{"", "v1", "secrets"}, "Secret"},
      {{"", "v1", "events"}, "Event"},
      {{"networking.k8s.io", "v1", "networkpolicies"}, "NetworkPolicy"},
      {{"", "v1", "nodes", false}, "Node", true},
  }};
  return kKinds;
}

const Kind& KindOf(const std::string& collection) {
  for (const Kind& kind : Kinds()) {
    if (kube::CollectionPath(kind.resource, "") == collection) return kind;
  }
  EVENKEEL_CHECK(false, "a collection that the tests do not know");
  std::abort();
}

std::string NameOf(const json& object) {
  return kube::TextAt(kube::MemberOf(object, "metadata"), "name");
}

std::string NamespaceOf(const json& object) {
  return kube::TextAt(kube::MemberOf(object, "metadata"), "namespace");
}

std::string NodeOf(const json& pod) {
  return kube::TextAt(kube::MemberOf(pod, "spec"), "nodeName");
}

json WithKind(const Kind& kind, json object) {
  object["apiVersion"] = kube::ApiVersionOf(kind.resource);
  object["kind"] = kind.name;
  return object;
}

template <typename Value>
Value Must(kube::ApiResult<Value> result) {
  EVENKEEL_CHECK(result.has_value(), result.error().message.c_str());
  return *std::move(result);
}

}  // namespace

RealApi::RealApi(std::unique_ptr<kube::Transport> transport)
    : transport_(std::move(transport)), client_(*transport_) {}

std::unique_ptr<RealApi> RealApi::FromEnvironment() {
  const char* const file = std::getenv("EVENKEEL_TEST_KUBECONFIG");
  if (file == nullptr) return nullptr;
  const auto config = kube::LoadKubeconfig(file);
  EVENKEEL_CHECK(config.has_value(), config.error().message.c_str());
  kube::CpprestOptions options;
  options.server = config->server;
  options.tls = config->tls;
  auto transport = kube::MakeCpprestTransport(std::move(options));
  EVENKEEL_CHECK(transport.has_value(), transport.error().message.c_str());
  std::unique_ptr<RealApi> api(new RealApi(*std::move(transport)));
  api->Clear();
  return api;
}

void RealApi::Clear() {
  for (const Kind& kind : Kinds()) {
    const std::string collection = kube::CollectionPath(kind.resource, "");
    for (const json& object : All(collection)) {
      const std::string place = NamespaceOf(object);
      const bool of_server = place == "default" || place.starts_with("kube-");
      if (!of_server) Erase(collection, place, NameOf(object));
    }
  }
}

json RealApi::MustSend(const kube::Request& request) const {
  const auto answer = transport_->Send(request);
  EVENKEEL_CHECK(answer.has_value(), answer.error().message.c_str());
  EVENKEEL_CHECK(answer->status / 100 == 2, answer->body.c_str());
  return json::parse(answer->body);
}

void RealApi::Bind(const json& pod, const std::string& node) {
  const json binding = {{"apiVersion", "v1"},
                        {"kind", "Binding"},
                        {"metadata", {{"name", NameOf(pod)}}},
                        {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
  const std::string target =
      kube::ObjectPath({"", "v1", "pods"}, NamespaceOf(pod), NameOf(pod), "binding");
  (void)MustSend({"POST", target, "application/json", binding.dump()});
}

void RealApi::PutStatus(const std::string& collection, json object) {
  const std::string target =
      kube::ObjectPath(KindOf(collection).resource, NamespaceOf(object), NameOf(object), "status");
  (void)MustSend({"PUT", target, "application/json", object.dump()});
}

json RealApi::Put(const std::string& collection, json object) {
  const Kind& kind = KindOf(collection);
  object = WithKind(kind, std::move(object));
  object["metadata"].erase("managedFields");
  const std::string place = NamespaceOf(object);
  const std::string name = NameOf(object);
  const auto current = Find(collection, place, name);
  json written;
  if (!current) {
    object["metadata"].erase("resourceVersion");
    object["metadata"].erase("uid");
    written = Must(client_.Create(kind.resource, place, object));
  } else {
    const std::string node = NodeOf(object);
    if (collection == "/api/v1/pods" && !node.empty() && NodeOf(*current).empty()) {
      Bind(object, node);
    }
    object["metadata"]["uid"] = (*current)["metadata"]["uid"];
    object["metadata"]["resourceVersion"] =
        (*Find(collection, place, name))["metadata"]["resourceVersion"];
    written = Must(client_.Replace(kind.resource, place, name, object));
  }
  // Without a status in `object`, that of a custom resource is removed.
  if (kind.has_status && (object.contains("status") || !kind.resource.group.empty())) {
    json status = written;
    status.erase("status");
    if (object.contains("status")) status["status"] = object["status"];
    PutStatus(collection, std::move(status));
  }
  return *Find(collection, place, name);
}

std::optional<json> RealApi::Find(const std::string& collection, const std::string& namespace_name,
                                  const std::string& name) const {
  auto found = client_.Get(KindOf(collection).resource, namespace_name, name);
  if (!found && found.error().kind == kube::ApiErrorKind::kNotFound) return std::nullopt;
  return Must(std::move(found));
}

bool RealApi::Erase(const std::string& collection, const std::string& namespace_name,
                    const std::string& name) {
  const Resource& resource = KindOf(collection).resource;
  const auto current = Find(collection, namespace_name, name);
  if (!current) return false;
  if (current->contains("/metadata/finalizers"_json_pointer)) {
    (void)Must(client_.MergePatch(resource, namespace_name, name,
                                  {{"metadata", {{"finalizers", nullptr}}}}));
  }
  kube::DeleteOptions at_once;
  at_once.grace_period_seconds = 0;
  const auto deleted = client_.Delete(resource, namespace_name, name, at_once);
  EVENKEEL_CHECK(deleted || deleted.error().kind == kube::ApiErrorKind::kNotFound,
                 "an object cannot be deleted");
  return true;
}

std::vector<json> RealApi::All(const std::string& collection) const {
  const Kind& kind = KindOf(collection);
  std::vector<json> all;
  kube::ListPage page = Must(client_.List(kind.resource, ""));
  for (json& object : page.items) {
    all.push_back(WithKind(kind, std::move(object)));
  }
  return all;
}

std::string RealApi::ResourceVersion() const {
  kube::ListOptions one;
  one.limit = 1;
  return Must(client_.List({"", "v1", "configmaps"}, "", one)).resource_version;
}

}  // namespace evenkeel::support
