#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/pod.h"
#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

/// The coordinator pod of one attempt. Its folder is in the job's claim, or else goes with the pod.
[[nodiscard]] nlohmann::json CoordinatorPodManifest(const WeightedJob& job,
                                                    const CoordinatorPod& pod);

/// Adds the annotations that many configurations of Prometheus look for.
void AnnotateForScrapes(nlohmann::json& pod);

}  // namespace evenkeel::cluster
