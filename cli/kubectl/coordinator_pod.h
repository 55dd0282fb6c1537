#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/kubectl/cluster.h"

namespace evenkeel::cli {

/// The port of a coordinator's pages, on the localhost of its pod.
inline constexpr std::uint16_t kPagesPort = 7403;

/// Where the coordinator of a job runs: of the pods in `list` (as kubectl prints it) the running
/// one of the latest attempt. Errors: kUnavailable (there are pods, but none runs now), kInternal
/// (there are none: before the start, or when they have gone for good).
[[nodiscard]] Result<PodPlace> ChooseCoordinator(const nlohmann::json& list,
                                                 const std::string& job);

/// Asks the cluster for the pods and chooses.
[[nodiscard]] Result<PodPlace> FindCoordinator(Cluster& cluster, const std::string& name_space,
                                               const std::string& job);

}  // namespace evenkeel::cli
