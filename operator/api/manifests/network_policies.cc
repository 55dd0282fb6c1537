#include "operator/api/manifests/network_policies.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "operator/api/manifests/frame.h"
#include "operator/api/names.h"

namespace evenkeel::api {
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

json ToDns() {
  json udp{{"protocol", "UDP"}, {"port", kDns}};
  return {{"ports", json::array({std::move(udp), Tcp(kDns)})}};
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
                json::array({ToDns()}));
}

json WorkerNetworkPolicy(const WeightedJob& job, const FlowSettings& flows) {
  json to_coordinator{{"to", json::array({PodsOf(job, component::kCoordinator)})},
                      {"ports", json::array({Tcp(port::kWorkers)})}};
  const json workers = json::array({PodsOf(job, component::kWorker)});
  json to_workers{{"to", workers}, {"ports", json::array({Tcp(port::kBlocks)})}};
  return Policy(
      job, WorkerName(job.meta.name), component::kWorker,
      json::array({Ingress(workers, port::kBlocks), Ingress(MetricsReaders(flows), port::kHealth)}),
      json::array({ToDns(), std::move(to_coordinator), std::move(to_workers)}));
}

}  // namespace evenkeel::api
