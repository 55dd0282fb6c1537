#include "operator/desired_objects.h"

#include <map>
#include <string>
#include <utility>

#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "core/base/digest.h"
#include "operator/resources.h"

namespace evenkeel::controller {
namespace {

using identity::JobAuthority;
using identity::OperatorKey;
using identity::OperatorKeys;
using kube::DesiredObject;
using kube::Json;

/// All that certificates of a job are made of.
struct Issuing {
  cluster::WeightedJob job;
  cluster::IdentityKeys identity;
  std::shared_ptr<const OperatorKeys> keys;
  identity::CertificateWindow window;

  [[nodiscard]] Result<JobAuthority> Authority(const std::string& key_id) const {
    const OperatorKey* key = keys->Find(key_id);
    if (key == nullptr) return Fail(ErrorCode::kInternal, "the operator has no key " + key_id);
    return JobAuthority::Derive(*key, {job.meta.namespace_name, job.meta.name, job.meta.uid},
                                window);
  }
  [[nodiscard]] std::string Digest(const std::string& members) const {
    return DigestOf(identity.issuer + "|" + identity.also_trusted + "|" +
                    std::to_string(window.number) + "|" + members);
  }
};

Result<std::string> BundleOf(const Issuing& issuing, const JobAuthority& issuer) {
  std::string bundle = issuer.certificate_pem();
  if (issuing.identity.also_trusted.empty()) return bundle;
  const auto other = issuing.Authority(issuing.identity.also_trusted);
  if (!other) return tl::unexpected<Error>(other.error());
  return bundle + other->certificate_pem();
}

cluster::TlsFiles FilesOf(const identity::KeyPair& pair) {
  return {pair.certificate_pem, pair.key_pem};
}

Result<Json> MakeCoordinatorSecret(const Issuing& issuing) {
  const auto issuer = issuing.Authority(issuing.identity.issuer);
  if (!issuer) return tl::unexpected<Error>(issuer.error());
  const auto bundle = BundleOf(issuing, *issuer);
  if (!bundle) return tl::unexpected<Error>(bundle.error());
  const auto pair = issuer->IssueForCoordinator();
  if (!pair) return tl::unexpected<Error>(pair.error());
  std::string tokens;
  for (const std::string& token : OperatorTokens(issuing.job, issuing.identity, *issuing.keys)) {
    tokens += tokens.empty() ? token : "\n" + token;
  }
  return cluster::CoordinatorSecret(issuing.job, *bundle, FilesOf(*pair), tokens);
}

/// `nodes_by_pod`: the workers whose certificates this Secret holds.
Result<Json> MakeWorkerSecret(const Issuing& issuing, const std::string& name,
                              const std::map<std::string, std::string>& nodes_by_pod) {
  const auto issuer = issuing.Authority(issuing.identity.issuer);
  if (!issuer) return tl::unexpected<Error>(issuer.error());
  const auto bundle = BundleOf(issuing, *issuer);
  if (!bundle) return tl::unexpected<Error>(bundle.error());
  std::map<std::string, cluster::TlsFiles> files;
  for (const auto& [pod, node] : nodes_by_pod) {
    const auto pair = issuer->IssueForWorker(pod, node);
    if (!pair) return tl::unexpected<Error>(pair.error());
    files[pod] = FilesOf(*pair);
  }
  return cluster::WorkerSecret(issuing.job, name, *bundle, files);
}

DesiredObject Named(const cluster::WeightedJob& job, const kube::Resource& resource,
                    std::string kind, std::string name) {
  DesiredObject desired;
  desired.resource = resource;
  desired.kind = std::move(kind);
  desired.key = {job.meta.namespace_name, std::move(name)};
  desired.owner = OwnerOf(job);
  return desired;
}

/// An object that always has the same bytes.
DesiredObject Fixed(const cluster::WeightedJob& job, const kube::Resource& resource, Json object) {
  DesiredObject desired =
      Named(job, resource, object.value("kind", ""), object["metadata"].value("name", ""));
  desired.digest = DigestOf(cluster::Compact(object));
  desired.make = [object = std::move(object)]() -> Result<Json> { return object; };
  return desired;
}

void AddSecrets(const Issuing& issuing, const plan::DesiredObjects& objects,
                std::vector<DesiredObject>& all) {
  const std::string& job_name = issuing.job.meta.name;
  DesiredObject coordinator =
      Named(issuing.job, resource::kSecrets, "Secret", cluster::CoordinatorSecretName(job_name));
  coordinator.digest = issuing.Digest("coordinator");
  coordinator.make = [issuing] { return MakeCoordinatorSecret(issuing); };
  all.push_back(std::move(coordinator));

  std::map<std::string, std::map<std::string, std::string>> nodes_by_pod_by_secret;
  const std::int32_t secrets = objects.plan.worker_secrets;
  for (const auto& name : cluster::WorkerSecretNames(job_name, secrets)) {
    nodes_by_pod_by_secret[name] = {};
  }
  for (const std::string& node : objects.worker_nodes) {
    const std::string pod = cluster::WorkerPodName(job_name, node);
    nodes_by_pod_by_secret[cluster::WorkerSecretName(job_name, pod, secrets)].emplace(pod, node);
  }
  for (auto& [name, nodes_by_pod] : nodes_by_pod_by_secret) {
    std::string members;
    for (const auto& [pod, node] : nodes_by_pod) members += pod + "=" + node + ",";
    DesiredObject workers = Named(issuing.job, resource::kSecrets, "Secret", name);
    workers.digest = issuing.Digest(members);
    workers.make = [issuing, name = name, nodes = std::move(nodes_by_pod)] {
      return MakeWorkerSecret(issuing, name, nodes);
    };
    all.push_back(std::move(workers));
  }
}

}  // namespace

const kube::OwnedObjectOptions& OwnedObjectSettings() {
  static const kube::OwnedObjectOptions settings{cluster::kManager, cluster::annotation::kDigest};
  return settings;
}

kube::Owner OwnerOf(const cluster::WeightedJob& job) {
  return {cluster::kJobKind, job.meta.name, job.meta.uid};
}

Result<std::string> TrustedAuthorities(const cluster::WeightedJob& job,
                                       const cluster::IdentityKeys& identity,
                                       const OperatorKeys& keys, kube::WallTime now) {
  const Issuing issuing{job, identity, std::make_shared<const OperatorKeys>(keys),
                        identity::WindowAt(now)};
  const auto issuer = issuing.Authority(identity.issuer);
  if (!issuer) return tl::unexpected<Error>(issuer.error());
  return BundleOf(issuing, *issuer);
}

std::string AuthoritiesDigest(const cluster::IdentityKeys& identity, kube::WallTime now) {
  return identity.issuer + "|" + identity.also_trusted + "|" +
         std::to_string(identity::WindowAt(now).number);
}

std::vector<std::string> OperatorTokens(const cluster::WeightedJob& job,
                                        const cluster::IdentityKeys& identity,
                                        const OperatorKeys& keys) {
  std::vector<std::string> tokens;
  for (const std::string* id : {&identity.issuer, &identity.also_trusted}) {
    const OperatorKey* key = keys.Find(*id);
    if (key != nullptr) tokens.push_back(identity::OperatorToken(key->secret, job.meta.uid));
  }
  return tokens;
}

std::vector<DesiredObject> MakeDesiredObjects(const cluster::WeightedJob& job,
                                              const plan::DesiredObjects& objects,
                                              const std::shared_ptr<const OperatorKeys>& keys,
                                              const cluster::FlowSettings& flows,
                                              kube::WallTime now) {
  std::vector<DesiredObject> all;
  AddSecrets({job, objects.plan.identity, keys, identity::WindowAt(now)}, objects, all);
  Json plan = cluster::PlanConfigMap(job, objects.plan);
  std::string authenticator =
      identity::Authenticator(keys->current.secret, job.meta.uid, cluster::AuthenticatedText(plan));
  all.push_back(Fixed(job, resource::kConfigMaps, std::move(plan)));
  all.back().digest = std::move(authenticator);
  all.push_back(Fixed(job, resource::kServices, cluster::CoordinatorService(job, objects.attempt)));
  all.push_back(
      Fixed(job, resource::kNetworkPolicies, cluster::CoordinatorNetworkPolicy(job, flows)));
  all.push_back(Fixed(job, resource::kNetworkPolicies, cluster::WorkerNetworkPolicy(job, flows)));
  return all;
}

DesiredObject MakeDesiredSnapshot(const cluster::WeightedJob& job, std::int64_t attempt,
                                  std::shared_ptr<const std::string> bytes) {
  DesiredObject desired =
      Named(job, resource::kConfigMaps, "ConfigMap", cluster::SnapshotName(job.meta.name));
  desired.digest = DigestOf(std::to_string(attempt) + "|" + *bytes);
  desired.make = [job, attempt, bytes = std::move(bytes)]() -> Result<Json> {
    return cluster::SnapshotConfigMap(job, attempt, *bytes);
  };
  return desired;
}

bool IsAuthentic(const Json& plan_config_map, const cluster::WeightedJob& job,
                 const OperatorKeys& keys) {
  const Json& annotations =
      kube::MemberOf(kube::MemberOf(plan_config_map, "metadata"), "annotations");
  const std::string digest = kube::TextAt(annotations, cluster::annotation::kDigest.c_str());
  const std::string text = cluster::AuthenticatedText(plan_config_map);
  for (const OperatorKey* key : {&keys.current, &keys.previous}) {
    if (key->id.empty()) continue;
    if (identity::Authenticator(key->secret, job.meta.uid, text) == digest) return true;
  }
  return false;
}

}  // namespace evenkeel::controller
