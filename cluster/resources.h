#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::cluster {

/// Requests of a pod, or capacity or free resources of a node (which may be negative).
struct Resources {
  std::int64_t cpu_millicores = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t pods = 0;
  /// By name: extended resources and bytes of huge pages. No entry is 0.
  std::map<std::string, std::int64_t> extended{};

  friend bool operator==(const Resources&, const Resources&) = default;
};

[[nodiscard]] Resources operator+(const Resources& a, const Resources& b);
[[nodiscard]] Resources operator-(const Resources& a, const Resources& b);
/// Whether `room` suffices for all of `asked`. Zero always fits.
[[nodiscard]] bool Fits(const Resources& asked, const Resources& room);
/// The resources of which `room` has less than `asked`, by their names in Kubernetes: cpu, memory,
/// pods, then extended ones. Empty if it fits.
[[nodiscard]] std::vector<std::string> FindShortages(const Resources& asked, const Resources& room);
/// Millicores of cpu, bytes of memory, else a count; 0 for a resource that is not there.
[[nodiscard]] std::int64_t AmountOf(const Resources& resources, const std::string& resource);
/// An amount as Kubernetes writes quantities: "250m" of cpu, "64Mi" of memory (rounded down from 1
/// MiB on), "3" of others.
[[nodiscard]] std::string QuantityText(const std::string& resource, std::int64_t amount);

/// `resources` of a container: quantities by resource, as Kubernetes writes them.
struct ResourceRequirements {
  std::map<std::string, std::string> requests;
  std::map<std::string, std::string> limits;

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

/// The requests of a pod with this one container; quantities that cannot be read count as 0.
[[nodiscard]] Resources RequestsOf(const ResourceRequirements& container);

/// The extended resources and huge pages among quantities by resource.
[[nodiscard]] std::map<std::string, std::int64_t> ExtendedResources(
    const std::map<std::string, std::string>& quantities);

/// What the parts of a pod ask for.
struct PodRequestParts {
  struct InitContainer {
    Resources requests;
    bool is_sidecar = false;  ///< restartPolicy Always: it goes on beside all that come after it
  };
  std::vector<Resources> containers;
  std::vector<InitContainer> init_containers;  ///< in the order in which they are started
  /// spec.resources.requests: replaces the sum of the containers where it names a resource.
  std::optional<std::int64_t> pod_cpu_millicores;
  std::optional<std::int64_t> pod_memory_bytes;
  Resources overhead;  ///< spec.overhead, of its runtime class
};

/// What the scheduler reserves for a pod: the most that is needed at any time of its life
/// (k8s.io/component-helpers/resource, PodRequests).
[[nodiscard]] Resources PodRequests(const PodRequestParts& parts);

/// A worker asks for this much unless told otherwise: a quarter of a core and 64 MiB, so that
/// several jobs share a board. A limit below that is the request as well, and so is the limit of an
/// extended resource.
[[nodiscard]] ResourceRequirements WithWorkerDefaults(ResourceRequirements asked);

/// The coordinator's: small, and bounded in memory.
[[nodiscard]] ResourceRequirements CoordinatorResources();

/// Those of a worker that only passes on, as its tasks run in a container beside it, which has the
/// resources that the job asks for.
[[nodiscard]] ResourceRequirements RelayResources();

}  // namespace evenkeel::cluster
