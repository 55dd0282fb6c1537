#include "examples/kubernetes-controller/config_map_mirror.h"

#include <utility>

#include "core/base/log.h"

namespace evenkeel::example {
namespace {

const kube::Resource kNamespaces{"", "v1", "namespaces", false};
const kube::Resource kConfigMaps{"", "v1", "configmaps", true};

/// Changes that others make to a copy are undone after this at the latest.
constexpr Duration kResync = std::chrono::minutes(10);

kube::ClientOptions ClientOptionsFor(const kube::ServerAccess& access) {
  kube::ClientOptions options;
  options.waiter = &access.waiter;
  options.tokens = access.tokens;
  return options;
}

kube::ReflectorOptions LabelledNamespaces() {
  kube::ReflectorOptions options;
  options.resource = kNamespaces;
  options.label_selector = "example.evenkeel.dev/mirror=true";
  options.metadata_only = true;
  return options;
}

kube::ReflectorOptions Only(const kube::ObjectKey& config_map) {
  kube::ReflectorOptions options;
  options.resource = kConfigMaps;
  options.namespace_name = config_map.namespace_name;
  options.field_selector = "metadata.name=" + config_map.name;
  return options;
}

Result<std::string> NameOf(const kube::Json& object) {
  return kube::TextAt(kube::MemberOf(object, "metadata"), "name");
}

Result<kube::Json> DataOf(const kube::Json& object) { return kube::MemberOf(object, "data"); }

}  // namespace

ConfigMapMirror::ConfigMapMirror(const kube::ServerAccess& access, kube::ObjectKey source)
    : source_(std::move(source)),
      client_(access.transport, ClientOptionsFor(access)),
      queue_(access.clock, {}, nullptr),
      namespaces_(access, LabelledNamespaces(), NameOf, 1),
      config_maps_(access, Only(source_), DataOf, 2) {
  kube::StoreHandler<std::string> on_namespace;
  on_namespace.on_add = [this](const kube::ObjectKey& key, const std::string&) { queue_.Add(key); };
  namespaces_.AddHandler(std::move(on_namespace));

  kube::StoreHandler<kube::Json> on_source;
  on_source.on_add = [this](const auto&, const auto&) { EnqueueAll(); };
  on_source.on_update = [this](const auto&, const auto&, const auto&) { EnqueueAll(); };
  config_maps_.AddHandler(std::move(on_source));
}

ConfigMapMirror::~ConfigMapMirror() { Stop(); }

void ConfigMapMirror::Start() {
  namespaces_.Start();
  config_maps_.Start();
  worker_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void ConfigMapMirror::Stop() {
  config_maps_.Stop();
  namespaces_.Stop();
  queue_.Drop();
  if (worker_.joinable()) worker_.join();
}

void ConfigMapMirror::EnqueueAll() {
  for (const kube::ObjectKey& key : namespaces_.Objects().Keys()) queue_.Add(key);
}

void ConfigMapMirror::Run(const std::stop_token& stop) {
  while (const auto key = queue_.Take(stop)) {
    if (const auto reconciled = Reconcile(*key)) {
      queue_.Forget(*key);
      queue_.AddAfter(*key, kResync);
    } else {
      Log(LogLevel::kWarning, ToString(*key) + ": " + reconciled.error().message);
      queue_.AddRateLimited(*key);
    }
    queue_.Done(*key);
  }
}

kube::ApiResult<void> ConfigMapMirror::Reconcile(const kube::ObjectKey& namespace_key) {
  const auto labelled = namespaces_.Objects().Find(namespace_key);
  const auto data = config_maps_.Objects().Find(source_);
  if (!labelled || !data) return {};
  const kube::Json copy = {{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", {{"name", source_.name}, {"namespace", *labelled}}},
                           {"data", *data}};
  const auto applied =
      client_.Apply(kConfigMaps, *labelled, source_.name, copy, {"config-map-mirror"});
  if (!applied) return tl::unexpected(applied.error());
  return {};
}

}  // namespace evenkeel::example
