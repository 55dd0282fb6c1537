#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// What the pods of a job have in common: everything that the restricted pod security asks for, no
/// service-account token, no environment made of services, the job's own security context, pull
/// secrets and priority. Volumes and containers are empty lists. A node that is lost is tolerated
/// for `node_loss_seconds`.
[[nodiscard]] nlohmann::json PodSpecBase(const WeightedJob& job, std::int64_t node_loss_seconds);

/// A container of the image with its security context; args and mounts are empty lists.
[[nodiscard]] nlohmann::json ContainerBase(const WeightedJob& job, const std::string& name,
                                           const std::string& image, const std::string& program);

[[nodiscard]] nlohmann::json ResourcesJson(const ResourceRequirements& resources);

/// Adds a volume and its place in the pod's first container. `source` is the volume without its
/// name.
void AddVolume(nlohmann::json& pod_spec, const std::string& name, nlohmann::json source,
               const std::string& path, bool read_only);

/// The Secret with the TLS files, the inputs of the job if it has any, and a writable /tmp unless
/// the container has one.
void AddCommonVolumes(nlohmann::json& pod_spec, const WeightedJob& job, const std::string& secret);

}  // namespace evenkeel::api
