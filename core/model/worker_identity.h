#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::model {

/// The identity of one worker pod, as its TLS certificate states it. All parts are names of
/// Kubernetes objects.
struct WorkerIdentity {
  std::string namespace_name;
  std::string job;
  std::string pod;
  std::string node;  ///< the node that the pod is bound to

  friend bool operator==(const WorkerIdentity&, const WorkerIdentity&) = default;
};

/// The URI for the subject alternative name of the certificate:
/// spiffe://evenkeel.dev/ns/NAMESPACE/wj/JOB/pod/POD/node/NODE (the form of SPIFFE-ID, section 2).
[[nodiscard]] std::string WorkerUri(const WorkerIdentity& identity);

/// Reads such a URI. Nothing if any part of it is missing, empty or not a Kubernetes name.
[[nodiscard]] std::optional<WorkerIdentity> ParseWorkerUri(std::string_view uri);

}  // namespace evenkeel::model
