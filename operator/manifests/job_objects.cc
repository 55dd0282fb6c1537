#include "operator/manifests/job_objects.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cluster/job_plan_json.h"
#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "operator/manifests/pod_parts.h"
#include "platform/text.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

constexpr int kDns = 53;

json Tcp(int number) { return {{"protocol", "TCP"}, {"port", number}}; }

json PodsOf(const WeightedJob& job, const std::string& component) {
  return {{"podSelector", {{"matchLabels", PodLabels(job, component)}}}};
}

json Namespace(const std::string& name) {
  return {{"matchLabels", {{label::kNamespaceName, name}}}};
}

json Operator(const FlowSettings& flows) {
  return {
      {"namespaceSelector", Namespace(flows.operator_namespace)},
      {"podSelector",
       {{"matchLabels", {{label::kName, kAppName}, {label::kComponent, component::kOperator}}}}}};
}

json MetricsReaders(const FlowSettings& flows) {
  json readers = json::array();
  for (const std::string& name : flows.metrics_namespaces) {
    readers.push_back({{"namespaceSelector", Namespace(name)}});
  }
  if (readers.empty()) readers.push_back({{"namespaceSelector", json::object()}});
  return readers;
}

json Ingress(json from, int number) {
  return {{"from", std::move(from)}, {"ports", json::array({Tcp(number)})}};
}

json ToDns(const DnsSettings& dns) {
  json udp{{"protocol", "UDP"}, {"port", kDns}};
  json rule{{"ports", json::array({std::move(udp), Tcp(kDns)})}};
  if (dns.namespace_name.empty()) return rule;
  json server{{"namespaceSelector", Namespace(dns.namespace_name)},
              {"podSelector", {{"matchLabels", dns.labels}}}};
  rule["to"] = json::array({std::move(server)});
  return rule;
}

json Policy(const WeightedJob& job, const std::string& name, const std::string& component,
            json ingress, json egress) {
  json object = ObjectFrame("networking.k8s.io/v1", "NetworkPolicy", name, component, job);
  object["spec"] = {{"podSelector", {{"matchLabels", PodLabels(job, component)}}},
                    {"policyTypes", json::array({"Ingress", "Egress"})},
                    {"ingress", std::move(ingress)},
                    {"egress", std::move(egress)}};
  return object;
}

}  // namespace

json CoordinatorNetworkPolicy(const WeightedJob& job, const FlowSettings& flows) {
  json ingress =
      json::array({Ingress(json::array({PodsOf(job, component::kWorker)}), port::kWorkers),
                   Ingress(json::array({Operator(flows)}), port::kControl),
                   Ingress(MetricsReaders(flows), port::kHealth)});
  return Policy(job, CoordinatorName(job.meta.name), component::kCoordinator, std::move(ingress),
                json::array({ToDns(flows.dns)}));
}

json WorkerNetworkPolicy(const WeightedJob& job, const FlowSettings& flows) {
  json to_coordinator{{"to", json::array({PodsOf(job, component::kCoordinator)})},
                      {"ports", json::array({Tcp(port::kWorkers)})}};
  const json workers = json::array({PodsOf(job, component::kWorker)});
  json to_workers{{"to", workers}, {"ports", json::array({Tcp(port::kBlocks)})}};
  return Policy(
      job, WorkerName(job.meta.name), component::kWorker,
      json::array({Ingress(workers, port::kBlocks), Ingress(MetricsReaders(flows), port::kHealth)}),
      json::array({ToDns(flows.dns), std::move(to_coordinator), std::move(to_workers)}));
}

using nlohmann::json;

json CoordinatorService(const WeightedJob& job, std::int64_t attempt) {
  const auto at = [](const char* name, int number) {
    return json{{"name", name}, {"port", number}, {"targetPort", number}, {"protocol", "TCP"}};
  };
  json object =
      ObjectFrame("v1", "Service", CoordinatorName(job.meta.name), component::kCoordinator, job);
  json selector = PodLabels(job, component::kCoordinator);
  selector[label::kAttempt] = std::to_string(attempt);
  object["spec"] = {
      {"type", "ClusterIP"},
      // Workers wait for the coordinator's port, not for its probes, which are seconds later.
      {"publishNotReadyAddresses", true},
      {"selector", std::move(selector)},
      {"ports", json::array({at("grpc", port::kWorkers), at("control", port::kControl)})}};
  return object;
}

namespace {

using nlohmann::json;

json CertificateEntries(const TlsFiles& files, const std::string& name) {
  return {{name + ".crt", platform::EncodeBase64(files.certificate)},
          {name + ".key", platform::EncodeBase64(files.key)}};
}

}  // namespace

json CoordinatorSecret(const WeightedJob& job, const std::string& ca_certificates,
                       const TlsFiles& files, const std::string& operator_tokens) {
  json object = ObjectFrame("v1", "Secret", CoordinatorSecretName(job.meta.name),
                            component::kCoordinator, job);
  object["type"] = "kubernetes.io/tls";
  object["data"] = CertificateEntries(files, "tls");
  object["data"]["ca.crt"] = platform::EncodeBase64(ca_certificates);
  object["data"]["operator-token"] = platform::EncodeBase64(operator_tokens);
  return object;
}

json WorkerSecret(const WeightedJob& job, const std::string& name,
                  const std::string& ca_certificates,
                  const std::map<std::string, TlsFiles>& files_by_pod) {
  json object = ObjectFrame("v1", "Secret", name, component::kWorker, job);
  object["type"] = "Opaque";
  object["data"] = {{"ca.crt", platform::EncodeBase64(ca_certificates)}};
  for (const auto& [pod, files] : files_by_pod) {
    object["data"].update(CertificateEntries(files, pod));
  }
  return object;
}

namespace {

/// The job as it is, to do what the run was started with.
std::string JobOfRun(const JobPlan& plan) {
  nlohmann::json manifest = nlohmann::json::parse(plan.manifest, nullptr, false);
  nlohmann::json workload = nlohmann::json::parse(plan.workload, nullptr, false);
  if (!Child(manifest, "spec").is_object() || !workload.is_object()) return plan.manifest;
  manifest["spec"]["workload"] = std::move(workload);
  return Compact(manifest);
}

}  // namespace

nlohmann::json PlanConfigMap(const WeightedJob& job, const JobPlan& plan) {
  nlohmann::json object =
      ObjectFrame("v1", "ConfigMap", PlanName(job.meta.name), component::kJob, job);
  object["metadata"]["annotations"] = {
      {annotation::kIdentity, plan.identity.issuer},
      {annotation::kImage, plan.image},
      {annotation::kWorkerSecrets, std::to_string(plan.worker_secrets)},
      {annotation::kAttemptSeen, std::to_string(plan.attempt_seen)},
      {annotation::kFirstAttempt, std::to_string(plan.first_attempt)}};
  object["data"] = {{"job.json", JobOfRun(plan)}, {"nodes.json", NodesJson(plan.nodes)}};
  json& annotations = object["metadata"]["annotations"];
  if (!plan.identity.also_trusted.empty()) {
    annotations[annotation::kIdentityAlsoTrusted] = plan.identity.also_trusted;
  }
  if (plan.identity.since) {
    annotations[annotation::kIdentitySince] = platform::FormatTimestamp(*plan.identity.since);
  }
  const std::string weights = WeightsJson(plan);
  if (!weights.empty()) object["data"]["weights.json"] = weights;
  return object;
}

std::string AuthenticatedText(const json& config_map) {
  const json& annotations = Child(Child(config_map, "metadata"), "annotations");
  json own = json::object();
  if (annotations.is_object()) {
    for (const auto& [key, value] : annotations.items()) {
      if (key.starts_with("evenkeel.dev/") && key != annotation::kDigest) own[key] = value;
    }
  }
  return Compact({{"annotations", std::move(own)}, {"data", Child(config_map, "data")}});
}

nlohmann::json SnapshotConfigMap(const WeightedJob& job, std::int64_t attempt,
                                 std::string_view bytes) {
  nlohmann::json object =
      ObjectFrame("v1", "ConfigMap", SnapshotName(job.meta.name), component::kJob, job);
  object["metadata"]["annotations"] = {{annotation::kAttempt, std::to_string(attempt)}};
  object["binaryData"] = {{"journal.db.z", platform::EncodeBase64(bytes)}};
  return object;
}

}  // namespace evenkeel::cluster
