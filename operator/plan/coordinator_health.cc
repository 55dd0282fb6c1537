#include "operator/plan/coordinator_health.h"

#include <algorithm>
#include <utility>

#include "cluster/pod.h"

namespace evenkeel::plan {
namespace {

/// A pod that is still there so long after it should be gone is stuck.
constexpr Duration kStuck = std::chrono::seconds(10);

Duration NodeGrace(const PlanBuilder& builder) {
  return std::chrono::seconds(builder.HasClaim() ? cluster::kCoordinatorNodeLossSeconds
                                                 : cluster::kUnclaimedNodeLossSeconds);
}

/// Lost, or of a run that was over anyway.
CoordinatorAssessment Gone(CoordinatorAssessment assessment, std::int64_t attempt,
                           std::int64_t first_attempt, std::string why) {
  assessment.kind = attempt >= first_attempt ? CoordinatorHealth::kLost : CoordinatorHealth::kNone;
  assessment.why = std::move(why);
  return assessment;
}

std::string HowItEnded(const cluster::PodView& pod) {
  std::string text = "has ended";
  if (!pod.reason.empty()) text += " (" + pod.reason + ")";
  return text;
}

/// The first loss is made good at once; when pods keep ending, there is a reason that takes time.
std::optional<Duration> WaitAfterEnd(const cluster::PodView& pod, std::int64_t first_attempt,
                                     platform::Timestamp now) {
  if (pod.attempt <= first_attempt) return std::nullopt;
  const platform::Timestamp end =
      pod.termination && pod.termination->finished ? *pod.termination->finished : pod.created;
  const platform::Timestamp due = end + BackoffAfter(pod.attempt - first_attempt);
  if (now >= due) return std::nullopt;
  return due - now;
}

}  // namespace

CoordinatorAssessment AssessCoordinator(const PlanBuilder& builder, std::int64_t first_attempt,
                                        std::int64_t attempt_seen) {
  const cluster::PodView* pod = builder.Coordinator();
  CoordinatorAssessment assessment;
  assessment.pod = pod;
  assessment.next_attempt =
      std::max({attempt_seen, first_attempt - 1, pod != nullptr ? pod->attempt : 0}) + 1;
  if (pod == nullptr) return Gone(assessment, attempt_seen, first_attempt, "is gone");
  const auto gone = [&](std::string why) {
    return Gone(assessment, pod->attempt, first_attempt, std::move(why));
  };
  if (pod->Ended()) {
    assessment.requeue_after = WaitAfterEnd(*pod, first_attempt, builder.Now());
    return gone(HowItEnded(*pod));
  }

  const cluster::NodeView* node = builder.Node(pod->node);
  if (!pod->node.empty() && node == nullptr) return gone("was on node " + pod->node + ", now gone");
  if (pod->deleted) {
    const platform::Timestamp patience = *pod->deleted + kStuck;
    const bool closes_journal = builder.HasClaim() && (node == nullptr || node->ready);
    if (!closes_journal || builder.Now() >= patience) return gone("was deleted");
    assessment.kind = CoordinatorHealth::kTerminating;
    assessment.requeue_after = patience - builder.Now();
    return assessment;
  }
  if (node != nullptr && !node->ready) {
    const platform::Timestamp until =
        node->ready_changed.value_or(builder.Now()) + NodeGrace(builder);
    const std::string where = "is on node " + pod->node + ", which is not ready";
    if (builder.Now() >= until) return gone(where);
    assessment.kind = CoordinatorHealth::kNodeNotReady;
    assessment.why = where;
    assessment.requeue_after = until - builder.Now();
    return assessment;
  }
  assessment.kind = CoordinatorHealth::kAlive;
  return assessment;
}

}  // namespace evenkeel::plan
