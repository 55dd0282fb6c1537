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

/// The user of our own programs, unless the job says otherwise.
inline constexpr std::int64_t kOwnUser = 65532;

/// Appends a list of the job's template, which is JSON text, to a list.
void Append(nlohmann::json& list, const std::string& text);

/// Adds a volume and its place in the container that the pod got last. `source` is the volume
/// without its name.
void AddVolume(nlohmann::json& pod_spec, const std::string& name, nlohmann::json source,
               const std::string& path, bool read_only);
/// A place, in the container that the pod got last, for a volume that it has already.
void AddMount(nlohmann::json& pod_spec, const std::string& name, const std::string& path,
              bool read_only);

/// The Secret with the TLS files.
void AddTls(nlohmann::json& pod_spec, const std::string& secret);
/// The inputs of the job, if it has any.
void AddInputs(nlohmann::json& pod_spec, const WeightedJob& job);
/// A writable /tmp, unless the container that the pod got last has one.
void AddTemporary(nlohmann::json& pod_spec, const std::string& name);

}  // namespace evenkeel::api
