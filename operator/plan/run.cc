#include "operator/plan/run.h"

#include <utility>

#include "operator/plan/coordinator_fate.h"
#include "operator/plan/energy_placement.h"
#include "operator/plan/growth.h"
#include "operator/plan/launch.h"
#include "operator/plan/pod_trouble.h"
#include "operator/plan/policy_choice.h"
#include "operator/plan/progressing.h"
#include "operator/plan/run_weights.h"
#include "operator/plan/suspension.h"
#include "operator/plan/worker_placement.h"

namespace evenkeel::plan {
namespace {

constexpr Duration kRoomInterval = std::chrono::seconds(30);

void StartClock(Draft& draft) {
  const bool resumed =
      api::IsTrue(draft.Seen().job.status.conditions, api::condition_type::kSuspended);
  auto& started = draft.Status().start_time;
  if (resumed || !started) started = api::WholeSeconds(draft.Now());
}

/// None of them has run: they make way for pods with another image.
void DeletePods(Draft& draft) {
  for (const api::PodView* pod : draft.Pods()) draft.Delete(*pod);
}

/// New workers would only hold room while nobody can give them work.
bool WorkersMayStart(const Draft& draft, const CoordinatorFate& fate) {
  if (fate.kind != FateKind::kAlive) return true;
  return !Diagnose(*fate.pod, draft.Now()).trouble;
}

/// `policy` is made a bad one if the job cannot be honoured by what is known of the nodes.
WorkerChanges ChooseWorkers(Draft& draft, const CoordinatorFate& fate, WorkerCensus& census,
                            const api::JobPlan& content, PolicyChoice& policy,
                            RunWeights& weights) {
  if (WorkersMayStart(draft, fate)) {
    weights = MakeRunWeights(draft, fate, census, content, policy);
  }
  EnergyPlacement energy = LeaveOutForEnergy(draft, content.nodes, census, weights.free);
  if (!energy.refusal.empty()) policy = {std::nullopt, "PowerUnknown", energy.refusal};
  WorkerChanges changes = PlaceWorkers(draft, census, weights.free, content.image);
  changes.left_out = std::move(energy.left_out);
  return changes;
}

void LookAgain(Draft& draft, const CoordinatorFate& fate, const WorkerCensus& census) {
  if (fate.look_again) draft.LookAgainAfter(*fate.look_again);
  if (census.look_again) draft.LookAgainAfter(*census.look_again);
  if (census.room_may_come) draft.LookAgainAfter(kRoomInterval);
}

}  // namespace

void Run(Draft& draft) {
  StartClock(draft);
  const bool replaced = UndoSuspension(draft);
  api::JobPlan content = PlanToKeep(draft, replaced);
  if (TakesNewImage(draft, content)) {
    content.image = draft.Image();
    content.first_attempt = content.attempt_seen + 1;
    DeletePods(draft);
  }
  const CoordinatorFate fate = JudgeCoordinator(draft, content.first_attempt, content.attempt_seen);
  WorkerCensus census = CountWorkers(draft);
  PolicyChoice policy = ChoosePolicy(draft.Seen());
  RunWeights weights;
  const WorkerChanges changes = ChooseWorkers(draft, fate, census, content, policy, weights);
  Launch(draft, fate, census, changes, weights, content);
  HandOverTasks(draft);
  LookAgain(draft, fate, census);
  SayHowItGoes(draft, {fate, census, changes, policy, content.first_attempt});
}

}  // namespace evenkeel::plan
