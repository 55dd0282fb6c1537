#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// Who else may talk to the pods of jobs.
struct FlowSettings {
  std::string operator_namespace;
  std::vector<std::string> metrics_namespaces;  ///< that may read metrics; empty: all of them
  /// Coordinators are annotated for a Prometheus that looks for prometheus.io/scrape.
  bool scrape_annotations = false;
};

/// In: gRPC from the job's workers, control from the operator, metrics. Out: DNS.
[[nodiscard]] nlohmann::json CoordinatorNetworkPolicy(const WeightedJob& job,
                                                      const FlowSettings& flows);

/// In: metrics. Out: DNS and gRPC to the job's coordinator.
[[nodiscard]] nlohmann::json WorkerNetworkPolicy(const WeightedJob& job, const FlowSettings& flows);

}  // namespace evenkeel::api
