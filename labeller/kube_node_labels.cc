#include "labeller/kube_node_labels.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/clock.h"
#include "kubernetes/config.h"
#include "kubernetes/cpprest_transport.h"

namespace evenkeel::labeller {
namespace {

using nlohmann::json;

const kube::Resource kNodes{"", "v1", "nodes", false};

Labels ReadTexts(const json& metadata, const char* field) {
  Labels texts;
  const auto found = metadata.find(field);
  if (found == metadata.end() || !found->is_object()) return texts;
  for (const auto& [name, value] : found->items()) {
    if (value.is_string()) texts[name] = value.get<std::string>();
  }
  return texts;
}

json PatchOf(const LabelChange& change) {
  json labels = json::object();
  for (const auto& [label, value] : change.labels) {
    labels[label] = value ? json(*value) : json();  // null removes
  }
  json patch{{"metadata", {{"labels", std::move(labels)}}}};
  if (change.memory) patch["metadata"]["annotations"][kMemory] = *change.memory;
  return patch;
}

class KubeNodeLabels final : public NodeLabels {
 public:
  KubeNodeLabels(const kube::Client& client, std::string node)
      : client_(client), node_(std::move(node)) {}

  Result<NodeMetadata> Read() override {
    const auto object = client_.Get(kNodes, "", node_);
    if (!object) return tl::unexpected(kube::ToError(object.error()));
    const auto metadata = object->find("metadata");
    if (metadata == object->end() || !metadata->is_object()) {
      return Fail(ErrorCode::kUnavailable, "node " + node_ + ": the API server sent no Node");
    }
    NodeMetadata read{ReadTexts(*metadata, "labels"), ReadTexts(*metadata, "annotations"), {}};
    const auto version = metadata->find("resourceVersion");
    if (version != metadata->end() && version->is_string()) {
      read.resource_version = version->get<std::string>();
    }
    return read;
  }

  Result<void> Change(const LabelChange& change, const std::string& resource_version) override {
    const auto patched = client_.MergePatch(kNodes, "", node_, PatchOf(change), resource_version);
    if (!patched) return tl::unexpected(kube::ToError(patched.error()));
    return {};
  }

 private:
  const kube::Client& client_;
  std::string node_;
};

class RealCluster final : public Cluster {
 public:
  RealCluster(std::shared_ptr<kube::TokenSource> tokens, std::unique_ptr<kube::Transport> transport)
      : tokens_(std::move(tokens)),
        transport_(std::move(transport)),
        client_(*transport_, Options(tokens_.get())) {}

  [[nodiscard]] const kube::Client& Client() const override { return client_; }

 private:
  static kube::ClientOptions Options(kube::TokenSource* tokens) {
    kube::ClientOptions options;
    options.tokens = tokens;
    return options;
  }

  std::shared_ptr<kube::TokenSource> tokens_;
  std::unique_ptr<kube::Transport> transport_;
  kube::Client client_;
};

}  // namespace

std::unique_ptr<NodeLabels> MakeKubeNodeLabels(const kube::Client& client, std::string node) {
  return std::make_unique<KubeNodeLabels>(client, std::move(node));
}

Result<std::unique_ptr<Cluster>> Cluster::Connect(const std::string& kubeconfig) {
  static const SteadyClock kClock;
  const auto config = kubeconfig.empty() ? kube::LoadInClusterConfig(kube::ReadPodSurroundings())
                                         : kube::LoadKubeconfig(kubeconfig);
  if (!config) return tl::unexpected(config.error());
  auto tokens = kube::MakeTokenSource(*config, kClock);
  kube::CpprestOptions options;
  options.server = config->server;
  options.tls = config->tls;
  options.tokens = tokens;
  options.user_agent = "evenkeel-labeller";
  auto transport = kube::MakeCpprestTransport(std::move(options));
  if (!transport) return tl::unexpected(transport.error());
  return std::make_unique<RealCluster>(std::move(tokens), *std::move(transport));
}

}  // namespace evenkeel::labeller
