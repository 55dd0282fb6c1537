#include "operator/api/manifests/frame.h"

#include <nlohmann/json.hpp>

#include "core/model/manifest.h"
#include "operator/api/names.h"

namespace evenkeel::api {

using nlohmann::json;

json PodLabels(const WeightedJob& job, const std::string& component) {
  return {{label::kName, kAppName}, {label::kComponent, component}, {label::kJob, job.meta.name}};
}

json ObjectFrame(const std::string& api_version, const std::string& kind, const std::string& name,
                 const std::string& component, const WeightedJob& job) {
  json labels = PodLabels(job, component);
  labels[label::kManagedBy] = kManager;
  json owner{{"apiVersion", model::kApiVersion},
             {"kind", kJobKind},
             {"name", job.meta.name},
             {"uid", job.meta.uid},
             {"controller", true},
             {"blockOwnerDeletion", true}};
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", job.meta.job_namespace},
            {"labels", std::move(labels)},
            {"ownerReferences", json::array({std::move(owner)})}}}};
}

}  // namespace evenkeel::api
