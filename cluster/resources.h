#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace evenkeel::cluster {

/// Requests of a pod, or capacity or free resources of a node (which may be negative).
struct Resources {
  std::int64_t cpu_millicores = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t pods = 0;

  friend bool operator==(const Resources&, const Resources&) = default;
};

[[nodiscard]] Resources operator+(const Resources& a, const Resources& b);
[[nodiscard]] Resources operator-(const Resources& a, const Resources& b);
/// Whether `room` suffices for all of `asked`. Zero always fits.
[[nodiscard]] bool Fits(const Resources& asked, const Resources& room);

/// `resources` of a container: quantities by resource, as Kubernetes writes them.
struct ResourceRequirements {
  std::map<std::string, std::string> requests;
  std::map<std::string, std::string> limits;

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

/// The requests of a pod with this one container; quantities that cannot be read count as 0.
[[nodiscard]] Resources RequestsOf(const ResourceRequirements& container);

/// A worker asks for this much unless told otherwise: a quarter of a core and 64 MiB, so that
/// several jobs share a board. A limit below that is the request as well.
[[nodiscard]] ResourceRequirements WithWorkerDefaults(ResourceRequirements asked);

/// The coordinator's: small, and bounded in memory.
[[nodiscard]] ResourceRequirements CoordinatorResources();

/// Those of a worker that only passes on, as its tasks run in a container beside it, which has the
/// resources that the job asks for.
[[nodiscard]] ResourceRequirements RelayResources();

}  // namespace evenkeel::cluster
