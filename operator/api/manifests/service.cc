#include "operator/api/manifests/service.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "operator/api/manifests/frame.h"
#include "operator/api/names.h"

namespace evenkeel::api {

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

}  // namespace evenkeel::api
