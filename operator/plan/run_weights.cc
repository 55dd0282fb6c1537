#include "operator/plan/run_weights.h"

#include <algorithm>
#include <utility>

#include "operator/plan/launch.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

const std::string kMeasured = "Measured";
/// As many as the status has rows; the plan has to fit into a ConfigMap.
constexpr std::size_t kMaxJoined = api::kMaxWorkerRows;

std::vector<api::PlannedNode> Planned(const api::JobPlan& content) {
  std::vector<api::PlannedNode> planned = content.nodes;
  planned.insert(planned.end(), content.joined.begin(), content.joined.end());
  return planned;
}

bool HasSamples(const Snapshot& snapshot) {
  return snapshot.history && snapshot.history->kind == HistoryAnswer::Kind::kSamples;
}

/// What objective Energy chooses by are the weights that nodes had when the job began.
bool MayWeighAnew(const Draft& draft, const CoordinatorFate& fate) {
  const bool energy = draft.Job().spec.balancing.objective == model::Objective::kEnergy;
  return WantsCoordinator(fate) && GoesByHistory(draft.Seen()) && !energy;
}

/// Nodes of workers that go on, while their coordinator begins anew.
std::vector<const api::NodeView*> NodesToWeighAgain(const Draft& draft, const CoordinatorFate& fate,
                                                    const WorkerCensus& census) {
  std::vector<const api::NodeView*> nodes;
  if (!MayWeighAnew(draft, fate)) return nodes;
  for (const api::PodView* pod : census.live) {
    const api::NodeView* node = draft.Node(pod->target_node);
    if (node != nullptr) nodes.push_back(node);
  }
  return nodes;
}

/// How asking went, where no weight came of it.
api::HistoryOutcome Disappointment(const Snapshot& snapshot) {
  if (!snapshot.history) {
    return {"NotConfigured",
            "spec.weighting.mode is Measured, but the operator knows no Prometheus; weights are "
            "fuzzy"};
  }
  switch (snapshot.history->kind) {
    case HistoryAnswer::Kind::kUnreachable:
      return {"PrometheusUnreachable", snapshot.history->trouble + "; weights are fuzzy"};
    case HistoryAnswer::Kind::kInvalid:
      return {"PrometheusAnswerInvalid", snapshot.history->trouble + "; weights are fuzzy"};
    case HistoryAnswer::Kind::kSamples:
      break;
  }
  return {reason::kNoHistory, "no earlier job of profile " + snapshot.job.spec.profile +
                                  " is known well enough on these nodes; weights are fuzzy"};
}

api::HistoryOutcome Outcome(const Snapshot& snapshot, const std::vector<api::PlannedNode>& rows) {
  const auto measured =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.Measured(); });
  api::HistoryOutcome outcome = Disappointment(snapshot);
  if (measured == 0) return outcome;
  std::string message = std::to_string(measured) + " of " + std::to_string(rows.size()) +
                        " nodes are weighed by the rates of earlier jobs of profile " +
                        snapshot.job.spec.profile;
  if (outcome.reason != reason::kNoHistory) {
    message += "; for the nodes that came last: " + outcome.message;
  }
  return {kMeasured, std::move(message)};
}

}  // namespace

RunWeights MakeRunWeights(Draft& draft, const CoordinatorFate& fate, const WorkerCensus& census,
                          const api::JobPlan& content, const PolicyChoice& policy) {
  RunWeights weights;
  const Snapshot& seen = draft.Seen();
  const std::vector<const api::NodeView*> again = NodesToWeighAgain(draft, fate, census);
  const bool joins = NeedsWeights(draft, census);
  if (policy.Bad() || (!joins && again.empty())) return weights;
  if (GoesByHistory(seen) && seen.history_there && !seen.history) {
    draft.Result().wants_history = true;
    return weights;
  }
  std::vector<const api::NodeView*> nodes;
  for (const Place& place : census.free) nodes.push_back(place.node);
  // Without a history there is nothing new to be known of nodes that were weighed before.
  const bool anew = MayWeighAnew(draft, fate) && HasSamples(seen);
  if (!anew) {
    weights.free = WeighNodes(seen, nodes, Planned(content), policy.policy);
    return weights;
  }
  nodes.insert(nodes.end(), again.begin(), again.end());
  weights.live = WeighNodes(seen, nodes, {}, policy.policy);
  const auto end_of_free = weights.live.begin() + static_cast<std::ptrdiff_t>(census.free.size());
  weights.free.assign(weights.live.begin(), end_of_free);
  weights.live.erase(weights.live.begin(), end_of_free);
  return weights;
}

std::map<std::string, api::PlannedNode> RowsByNode(const api::JobPlan& content,
                                                   const RunWeights& weights) {
  std::map<std::string, api::PlannedNode> rows;
  for (const api::PlannedNode& row : Planned(content)) rows[row.name] = row;
  for (const auto* made : {&weights.live, &weights.free}) {
    for (const api::PlannedNode& row : *made) rows[row.name] = row;
  }
  return rows;
}

void KeepOutcome(const Draft& draft, const std::vector<api::PlannedNode>& nodes,
                 const WorkerChanges& changes, bool starts, api::JobPlan& content) {
  const Snapshot& seen = draft.Seen();
  const bool asked = !seen.history_there || seen.history;
  if (!GoesByHistory(seen) || !asked || nodes.empty()) return;
  if (!starts && changes.create.empty()) return;
  content.history = Outcome(seen, nodes);
  if (starts) {
    content.joined.clear();
    return;
  }
  for (const api::WorkerPod& pod : changes.create) {
    const auto same = [&pod](const auto& row) { return row.name == pod.node; };
    const auto row = std::find_if(nodes.begin(), nodes.end(), same);
    if (row == nodes.end() || std::any_of(content.nodes.begin(), content.nodes.end(), same)) {
      continue;
    }
    std::erase_if(content.joined, same);
    content.joined.push_back(*row);
    if (content.joined.size() > kMaxJoined) content.joined.erase(content.joined.begin());
  }
}

void SayWhereWeightsComeFrom(Draft& draft, const api::JobPlan& content) {
  const api::HistoryOutcome& history = content.history;
  if (history.reason.empty()) return;
  draft.SetCondition(api::condition_type::kWeightsMeasured, history.reason == kMeasured,
                     history.reason, history.message);
}

}  // namespace evenkeel::plan
