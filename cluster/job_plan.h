#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/node_power.h"
#include "platform/time.h"

namespace evenkeel::cluster {

/// The parts of a weight, where a history was queried. Numbers have six digits.
struct WeightParts {
  double fuzzy = 1;         ///< the ratio by labels, relative to the lightest
  double measured = 0;      ///< the history's rate, units a second; 0: it has none that counts
  double busy_seconds = 0;  ///< inside tasks, that `measured` stands on; older ones count less
  double age_seconds = 0;   ///< mean age of that work
  double confidence = 0;    ///< share of the history in the weight, 0 to 1
  double rate = 0;          ///< what is expected, units a second; 0: not known
  double sigma = 0;         ///< standard deviation of `rate` relative to it
  std::string note;         ///< why the history was left out; empty if it was not

  friend bool operator==(const WeightParts&, const WeightParts&) = default;
};

/// A node that takes part, as nodes.json says it.
struct PlannedNode {
  std::string name;
  double ratio = 1;                         ///< what the partition of the work goes by
  std::int64_t weight = 1;                  ///< the ratio rounded up
  std::optional<model::NodePower> power{};  ///< of the worker there, if it is known
  bool left_out = false;                    ///< gets no worker, to save energy
  std::optional<WeightParts> parts{};

  /// More of the weight is the history's than the labels'.
  [[nodiscard]] bool Measured() const { return parts && parts->confidence >= 0.5; }
  friend bool operator==(const PlannedNode&, const PlannedNode&) = default;
};

/// How asking for the history went when nodes were weighed last.
struct HistoryOutcome {
  std::string reason;  ///< of the condition WeightsMeasured; empty: no history has been asked for
  std::string message;

  friend bool operator==(const HistoryOutcome&, const HistoryOutcome&) = default;
};

/// By which keys the certificates of a job are made. Each key of the operator gives the job a
/// certificate authority of its own; a key is known by its id. While the operator's key is
/// replaced, the new authority is trusted before it signs, and the old one for a while after.
struct IdentityKeys {
  std::string issuer;        ///< signs the certificates; empty: none were made yet
  std::string also_trusted;  ///< the other authority of the bundle; empty: none
  std::optional<platform::Timestamp>
      since{};  ///< when one of the two changed last; nothing: at the start

  friend bool operator==(const IdentityKeys&, const IdentityKeys&) = default;
};

/// Content of the ConfigMap NAME-plan: what a run was started with, and the little that the
/// operator has to remember of it.
struct JobPlan {
  std::string manifest;            ///< job.json; `workload` stands in it
  std::vector<PlannedNode> nodes;  ///< nodes.json, by ratio, the heaviest first; the left out last
  IdentityKeys identity;
  /// Number of Secrets that the certificates of the workers are spread over: one has room for a few
  /// hundred.
  std::int32_t worker_secrets = 1;
  std::string image;  ///< of coordinator and workers, kept for the whole run
  /// The highest attempt of the coordinator whose pod has been seen; 0 before the first. A pod
  /// that was seen and is not there any more is lost; one that was not seen yet may just be new.
  std::int64_t attempt_seen = 0;
  /// The attempt that began the run, or went on with it after a suspension: later ones took over
  /// from a pod that was lost.
  std::int64_t first_attempt = 1;
  /// spec.workload as JSON text: what the run was started with, and the tasks that have been
  /// appended since.
  std::string workload;
  /// Nodes that joined since nodes.json was written and were weighed with a history, the latest
  /// last.
  std::vector<PlannedNode> joined;
  HistoryOutcome history;

  friend bool operator==(const JobPlan&, const JobPlan&) = default;
};

/// The ConfigMap NAME-snapshot: what a job without a claim had done when it was suspended.
struct SnapshotView {
  std::int64_t attempt = 0;  ///< of the coordinator it was taken from
};

}  // namespace evenkeel::cluster
