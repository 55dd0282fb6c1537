#include "labeller/node_labels.h"

namespace evenkeel::labeller {

Result<LabelChange> ApplyLabels(NodeLabels& node, const Labels& wanted) {
  constexpr int kTries = 4;
  for (int tries = 1;; ++tries) {
    const auto read = node.Read();
    if (!read) return tl::unexpected(read.error());
    LabelChange change = PlanChange(*read, wanted);
    if (change.Empty()) return change;
    const auto changed = node.Change(change, read->resource_version);
    if (changed) return change;
    if (changed.error().code != ErrorCode::kConflict || tries == kTries) {
      return tl::unexpected(changed.error());
    }
  }
}

}  // namespace evenkeel::labeller
