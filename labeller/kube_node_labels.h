#pragma once

#include <memory>
#include <string>

#include "kubernetes/client.h"
#include "labeller/node_labels.h"

namespace evenkeel::labeller {

/// The labels of a Node by the API: GET and merge patches, nothing else. `client` must outlive it.
[[nodiscard]] std::unique_ptr<NodeLabels> MakeKubeNodeLabels(const kube::Client& client,
                                                             std::string node);

/// The way to the API server that labels are read and changed by.
class Cluster {
 public:
  /// Of `kubeconfig`, or if that is empty of the pod this runs in. Errors: kInvalidInput,
  /// kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<Cluster>> Connect(const std::string& kubeconfig);
  virtual ~Cluster() = default;
  [[nodiscard]] virtual const kube::Client& Client() const = 0;
};

}  // namespace evenkeel::labeller
