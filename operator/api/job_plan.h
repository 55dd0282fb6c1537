#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/node_power.h"

namespace evenkeel::api {

/// A node that takes part, as nodes.json says it.
struct PlannedNode {
  std::string name;
  double ratio = 1;                         ///< what the partition of the work goes by
  std::int64_t weight = 1;                  ///< the ratio rounded up
  std::optional<model::NodePower> power{};  ///< of the worker there, if it is known
  bool left_out = false;                    ///< gets no worker, to save energy

  friend bool operator==(const PlannedNode&, const PlannedNode&) = default;
};

/// Content of the ConfigMap NAME-plan: what a run was started with, and the little that the
/// operator has to remember of it.
struct JobPlan {
  std::string manifest;            ///< job.json; `workload` stands in it
  std::vector<PlannedNode> nodes;  ///< nodes.json, by ratio, the heaviest first; the left out last
  std::string ca_certificate;      ///< ca.crt, PEM
  std::string identity;            ///< fingerprint of that CA
  std::string image;               ///< of coordinator and workers, kept for the whole run
  /// The highest attempt of the coordinator whose pod has been seen; 0 before the first. A pod
  /// that was seen and is not there any more is lost; one that was not seen yet may just be new.
  std::int64_t attempt_seen = 0;
  /// The attempt that began the run, or went on with it after a suspension: later ones took over
  /// from a pod that was lost.
  std::int64_t first_attempt = 1;
  /// spec.workload as JSON text: what the run was started with, and the tasks that have been
  /// appended since.
  std::string workload;

  friend bool operator==(const JobPlan&, const JobPlan&) = default;
};

/// The ConfigMap NAME-snapshot: what a job without a claim had done when it was suspended.
struct SnapshotView {
  std::int64_t attempt = 0;  ///< of the coordinator it was taken from
};

}  // namespace evenkeel::api
