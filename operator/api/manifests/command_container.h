#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// Adds to a worker's pod the container in which the job's tasks run, with the job's own image, and
/// what has to be there for it: an init container with our image that puts the launcher into a
/// volume, for the user's image has nothing of ours, and the folder of the launcher's socket. The
/// container has the resources, environment, volumes and inputs of the job, and no credentials of
/// ours.
///
/// From then on the pod's user is that of the image, or the one that the job names; containers of
/// ours have to say who they are, see RunAsOwnUser().
void AddCommandContainer(nlohmann::json& pod_spec, const WeightedJob& job,
                         const std::string& worker_image);

/// Lets the container that the pod got last talk to the launcher.
void AddLauncherSocket(nlohmann::json& pod_spec);

/// Where the launcher listens, in all containers of the pod.
[[nodiscard]] std::string LauncherSocket();

/// Makes a container of ours run as our user, where the pod's is somebody else.
void RunAsOwnUser(nlohmann::json& container);

}  // namespace evenkeel::api
