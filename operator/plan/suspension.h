#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// Works towards no pods with all progress kept, for a job with spec.suspend.
///
/// The coordinator is asked to drain: it takes no more results in after that. With a claim its
/// journal is safe there and all pods are deleted. Without one, the journal is first kept in the
/// ConfigMap NAME-snapshot. Suspended becomes True when no pod is left.
void Suspend(Draft& draft);

/// True if this generation's suspension was refused because what is to be kept is too large: the
/// job goes on and says so.
[[nodiscard]] bool SuspensionRefused(const Draft& draft);

/// For a job that runs: brings the condition Suspended up to date, and a coordinator that was
/// drained for a suspension that did not come about back to work. True if that one's pod is
/// replaced for it: the next one goes on where it stopped.
[[nodiscard]] bool UndoSuspension(Draft& draft);

}  // namespace evenkeel::plan
