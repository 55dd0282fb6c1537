#include "operator/plan/coordinator_health.h"

#include <algorithm>
#include <utility>

#include "cluster/pod.h"

namespace evenkeel::plan {
namespace {

/// A pod that is still there so long after it should be gone is stuck.
constexpr Duration kStuck = std::chrono::seconds(10);

Duration NodeGrace(const Draft& draft) {
  return std::chrono::seconds(draft.HasClaim() ? api::kCoordinatorNodeLossSeconds
                                               : api::kUnclaimedNodeLossSeconds);
}

/// Lost, or of a run that was over anyway.
CoordinatorFate Gone(CoordinatorFate fate, std::int64_t attempt, std::int64_t first_attempt,
                     std::string why) {
  fate.kind = attempt >= first_attempt ? FateKind::kLost : FateKind::kNone;
  fate.why = std::move(why);
  return fate;
}

std::string HowItEnded(const api::PodView& pod) {
  std::string text = "has ended";
  if (!pod.reason.empty()) text += " (" + pod.reason + ")";
  return text;
}

/// The first loss is made good at once; when pods keep ending, there is a reason that takes time.
std::optional<Duration> WaitAfterEnd(const api::PodView& pod, std::int64_t first_attempt,
                                     api::Timestamp now) {
  if (pod.attempt <= first_attempt) return std::nullopt;
  const api::Timestamp end =
      pod.termination && pod.termination->finished ? *pod.termination->finished : pod.created;
  const api::Timestamp due = end + BackoffAfter(pod.attempt - first_attempt);
  if (now >= due) return std::nullopt;
  return due - now;
}

}  // namespace

CoordinatorFate JudgeCoordinator(const Draft& draft, std::int64_t first_attempt,
                                 std::int64_t attempt_seen) {
  const api::PodView* pod = draft.Coordinator();
  CoordinatorFate fate;
  fate.pod = pod;
  fate.next_attempt =
      std::max({attempt_seen, first_attempt - 1, pod != nullptr ? pod->attempt : 0}) + 1;
  if (pod == nullptr) return Gone(fate, attempt_seen, first_attempt, "is gone");
  const auto gone = [&](std::string why) {
    return Gone(fate, pod->attempt, first_attempt, std::move(why));
  };
  if (pod->Ended()) {
    fate.look_again = WaitAfterEnd(*pod, first_attempt, draft.Now());
    return gone(HowItEnded(*pod));
  }

  const api::NodeView* node = draft.Node(pod->node);
  if (!pod->node.empty() && node == nullptr) return gone("was on node " + pod->node + ", now gone");
  if (pod->deleted) {
    const api::Timestamp patience = *pod->deleted + kStuck;
    const bool closes_journal = draft.HasClaim() && (node == nullptr || node->ready);
    if (!closes_journal || draft.Now() >= patience) return gone("was deleted");
    fate.kind = FateKind::kEnding;
    fate.look_again = patience - draft.Now();
    return fate;
  }
  if (node != nullptr && !node->ready) {
    const api::Timestamp until = node->ready_changed.value_or(draft.Now()) + NodeGrace(draft);
    const std::string where = "is on node " + pod->node + ", which is not ready";
    if (draft.Now() >= until) return gone(where);
    fate.kind = FateKind::kShaky;
    fate.why = where;
    fate.look_again = until - draft.Now();
    return fate;
  }
  fate.kind = FateKind::kAlive;
  return fate;
}

}  // namespace evenkeel::plan
