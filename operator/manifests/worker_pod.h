#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/pod.h"
#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

/// The worker pod for one node, bound to it by its name.
[[nodiscard]] nlohmann::json WorkerPodManifest(const WeightedJob& job, const WorkerPod& pod);

}  // namespace evenkeel::cluster
