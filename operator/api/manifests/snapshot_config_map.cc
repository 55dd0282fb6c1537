#include "operator/api/manifests/snapshot_config_map.h"

#include <nlohmann/json.hpp>
#include <string>

#include "operator/api/base64.h"
#include "operator/api/manifests/frame.h"
#include "operator/api/names.h"

namespace evenkeel::api {

nlohmann::json SnapshotConfigMap(const WeightedJob& job, std::int64_t attempt,
                                 std::string_view bytes) {
  nlohmann::json object =
      ObjectFrame("v1", "ConfigMap", SnapshotName(job.meta.name), component::kJob, job);
  object["metadata"]["annotations"] = {{annotation::kAttempt, std::to_string(attempt)}};
  object["binaryData"] = {{"journal.db.z", ToBase64(bytes)}};
  return object;
}

}  // namespace evenkeel::api
