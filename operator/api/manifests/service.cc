#include "operator/api/manifests/service.h"

#include <nlohmann/json.hpp>

#include "operator/api/manifests/frame.h"
#include "operator/api/names.h"

namespace evenkeel::api {

using nlohmann::json;

json CoordinatorService(const WeightedJob& job) {
  const auto at = [](const char* name, int number) {
    return json{{"name", name}, {"port", number}, {"targetPort", number}, {"protocol", "TCP"}};
  };
  json object =
      ObjectFrame("v1", "Service", CoordinatorName(job.meta.name), component::kCoordinator, job);
  object["spec"] = {
      {"type", "ClusterIP"},
      {"selector", PodLabels(job, component::kCoordinator)},
      {"ports", json::array({at("grpc", port::kWorkers), at("control", port::kControl)})}};
  return object;
}

}  // namespace evenkeel::api
