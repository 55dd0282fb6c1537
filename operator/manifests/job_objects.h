#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/job_plan.h"
#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

/// The pods that resolve names for the cluster.
struct DnsSettings {
  std::string namespace_name = "kube-system";  ///< empty: port 53 is open to every destination
  std::map<std::string, std::string> labels = {{"k8s-app", "kube-dns"}};
};

/// Flows that network policies of jobs admit besides those within a job.
struct FlowSettings {
  std::string operator_namespace;
  std::vector<std::string> metrics_namespaces;  ///< may read metrics; empty: all namespaces
  /// Coordinators are annotated for a Prometheus that looks for prometheus.io/scrape.
  bool scrape_annotations = false;
  DnsSettings dns{};
};

/// In: gRPC from the job's workers, control from the operator, metrics. Out: DNS.
[[nodiscard]] nlohmann::json CoordinatorNetworkPolicy(const WeightedJob& job,
                                                      const FlowSettings& flows);

/// In: metrics. Out: DNS and gRPC to the job's coordinator.
[[nodiscard]] nlohmann::json WorkerNetworkPolicy(const WeightedJob& job, const FlowSettings& flows);

/// The Service NAME-coordinator, which leads workers to the coordinator of that attempt, from the
/// moment that its pod has an address. Its predecessor may stand on a node that is lost.
[[nodiscard]] nlohmann::json CoordinatorService(const WeightedJob& job, std::int64_t attempt);

/// PEM texts of one party.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// The Secret NAME-coordinator-tls. `ca_certificates`: the bundle that is trusted.
/// `operator_tokens`: what the operator may show on the control port, one a line.
[[nodiscard]] nlohmann::json CoordinatorSecret(const WeightedJob& job,
                                               const std::string& ca_certificates,
                                               const TlsFiles& files,
                                               const std::string& operator_tokens);

/// One of the Secrets NAME-worker-tls: the bundle as ca.crt, and POD.crt and POD.key of each
/// worker.
[[nodiscard]] nlohmann::json WorkerSecret(const WeightedJob& job, const std::string& name,
                                          const std::string& ca_certificates,
                                          const std::map<std::string, TlsFiles>& files_by_pod);

/// The part of the ConfigMap NAME-plan that decides what the operator does: its data and our
/// annotations, without the digest. Canonical.
[[nodiscard]] std::string AuthenticatedText(const nlohmann::json& config_map);

/// The ConfigMap NAME-plan. Reading it with ReadJobPlan gives the same plan.
[[nodiscard]] nlohmann::json PlanConfigMap(const WeightedJob& job, const JobPlan& plan);

/// The ConfigMap NAME-snapshot: the bytes that GET /snapshot of the coordinator of that attempt
/// answered.
[[nodiscard]] nlohmann::json SnapshotConfigMap(const WeightedJob& job, std::int64_t attempt,
                                               std::string_view bytes);

}  // namespace evenkeel::cluster
