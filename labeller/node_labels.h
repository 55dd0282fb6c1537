#pragma once

#include "core/base/error.h"
#include "labeller/label_change.h"

namespace evenkeel::labeller {

/// The labels of one Node in the cluster.
class NodeLabels {
 public:
  virtual ~NodeLabels() = default;
  /// Errors: one line, kUnavailable as a rule.
  [[nodiscard]] virtual Result<NodeMetadata> Read() = 0;
  /// Changes the Node that was read. kConflict: it is another by now, read again.
  [[nodiscard]] virtual Result<void> Change(const LabelChange& change,
                                            const std::string& resource_version) = 0;
};

/// Makes the Node have the labels, as PlanChange says; reads it again after a conflicting
/// write. Returns what was changed.
[[nodiscard]] Result<LabelChange> ApplyLabels(NodeLabels& node, const Labels& wanted);

}  // namespace evenkeel::labeller
