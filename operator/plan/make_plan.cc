#include "operator/plan/make_plan.h"

#include <utility>

#include "operator/plan/coordinator_health.h"
#include "operator/plan/launch.h"
#include "operator/plan/lifecycle.h"
#include "operator/plan/plan_builder.h"
#include "operator/plan/pod_diagnosis.h"
#include "operator/plan/status.h"
#include "operator/plan/weighting.h"
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

namespace {

/// A job that is not over yet.
void Advance(Draft& draft) {
  EndIfOver(draft);
  if (draft.Finished()) return;
  if (draft.Job().suspend && !SuspensionRefused(draft)) {
    Suspend(draft);
    SayItRests(draft);
  } else {
    Run(draft);
  }
}

/// The one condition that holds, for people who look at a table of jobs.
std::string StateOf(const api::Conditions& conditions) {
  for (const auto& type : {api::condition_type::kComplete, api::condition_type::kFailed,
                           api::condition_type::kSuspended, api::condition_type::kProgressing}) {
    if (api::IsTrue(conditions, type)) return type;
  }
  return "Pending";
}

/// Figures of a job that was over before stay as they are.
void CompleteStatus(Draft& draft, bool was_over) {
  if (draft.Finished()) {
    SayWhatIsNotRun(draft);
    SayItRests(draft);
  }
  if (!was_over) ReportFigures(draft);
  api::JobStatus& status = draft.Status();
  status.observed_generation = draft.Job().meta.generation;
  for (api::Condition& one : status.conditions) {
    one.observed_generation = status.observed_generation;
  }
  status.state = StateOf(status.conditions);
}

void WriteStatus(Draft& draft) {
  const WriteRule rule = JudgeWrite(draft.Seen().job.status, draft.Status(), draft.Now(),
                                    draft.Seen().last_status_write);
  if (rule.due) draft.LookAgainAfter(*rule.due);
  if (!rule.write) return;
  TellOfConditions(draft);
  draft.Result().status = draft.Status();
  draft.Result().status_is_urgent = rule.urgent;
}

}  // namespace

Plan MakePlan(const Snapshot& snapshot) {
  // Its objects are its own and go with it.
  if (snapshot.job.meta.deleted) return {};
  Draft draft(snapshot);
  const bool was_over = draft.Finished();
  if (!was_over) Advance(draft);
  if (draft.Finished()) FinishUp(draft);
  CompleteStatus(draft, was_over);
  WriteStatus(draft);
  return std::move(draft.Result());
}

}  // namespace evenkeel::plan
