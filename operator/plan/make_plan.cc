#include "operator/plan/make_plan.h"

#include <utility>

#include "operator/plan/coordinator_health.h"
#include "operator/plan/dependencies.h"
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

void StartClock(PlanBuilder& builder) {
  const bool resumed = cluster::IsTrue(builder.snapshot().job.status.conditions,
                                       cluster::condition_type::kSuspended);
  auto& started = builder.Status().start_time;
  if (resumed || !started) started = platform::WholeSeconds(builder.Now());
}

/// None of them has run: they make way for pods with another image.
void DeletePods(PlanBuilder& builder) {
  for (const cluster::PodView* pod : builder.Pods()) builder.Delete(*pod);
}

/// False while the coordinator's pod cannot run: new workers would only occupy resources.
bool WorkersMayStart(const PlanBuilder& builder, const CoordinatorAssessment& assessment) {
  if (assessment.kind != CoordinatorHealth::kAlive) return true;
  return !DiagnosePod(*assessment.pod, builder.Now()).trouble;
}

/// Makes `policy` invalid if the known properties of the nodes do not suffice for the job.
WorkerChanges ChooseWorkers(PlanBuilder& builder, const CoordinatorAssessment& assessment,
                            WorkerInventory& inventory, const cluster::JobPlan& content,
                            PolicyChoice& policy, RunWeights& weights) {
  if (WorkersMayStart(builder, assessment)) {
    weights = MakeRunWeights(builder, assessment, inventory, content, policy);
  }
  EnergyPlacement energy = LeaveOutForEnergy(builder, content.nodes, inventory, weights.free);
  if (!energy.refusal.empty()) policy = {std::nullopt, "PowerUnknown", energy.refusal};
  WorkerChanges changes = PlaceWorkers(builder, inventory, weights.free, content.image);
  changes.left_out = std::move(energy.left_out);
  return changes;
}

void LookAgain(PlanBuilder& builder, const CoordinatorAssessment& assessment,
               const WorkerInventory& inventory) {
  if (assessment.requeue_after) builder.RequeueAfter(*assessment.requeue_after);
  if (inventory.requeue_after) builder.RequeueAfter(*inventory.requeue_after);
  if (inventory.crowded.empty()) return;
  // The operator may not see all pods: those of other namespaces, if it serves only some.
  builder.RequeueAfter(kRoomInterval);
  for (const CrowdedNode& crowded : inventory.crowded) {
    builder.Result().crowded_nodes.push_back(crowded.node->Name());
  }
}

}  // namespace

void Run(PlanBuilder& builder) {
  StartClock(builder);
  const bool replaced = UndoSuspension(builder);
  const cluster::PodView* coordinator = builder.Coordinator();
  if (coordinator != nullptr && !replaced && !coordinator->deleted && !coordinator->Ended()) {
    builder.SetDesiredCoordinator({coordinator->uid, false, false});
  }
  cluster::JobPlan content = NextJobPlan(builder, replaced);
  if (TakesNewImage(builder, content)) {
    content.image = builder.Image();
    content.first_attempt = content.attempt_seen + 1;
    DeletePods(builder);
  }
  const CoordinatorAssessment assessment =
      AssessCoordinator(builder, content.first_attempt, content.attempt_seen);
  WorkerInventory inventory = TakeWorkerInventory(builder);
  PolicyChoice policy = ChoosePolicy(builder.snapshot());
  RunWeights weights;
  const WorkerChanges changes =
      ChooseWorkers(builder, assessment, inventory, content, policy, weights);
  Launch(builder, assessment, inventory, changes, weights, content);
  HandOverTasks(builder);
  LookAgain(builder, assessment, inventory);
  SetProgressingCondition(builder, {assessment, inventory, changes, policy, content.first_attempt});
}

namespace {

/// Used if the spec of a running job is invalid: changes nothing, but polls the coordinator for its
/// progress.
void LeaveAsItIs(PlanBuilder& builder) {
  const cluster::PodView* coordinator = builder.Coordinator();
  if (coordinator != nullptr) builder.SetDesiredCoordinator({coordinator->uid, false, false});
  builder.SetCondition(cluster::condition_type::kProgressing, false, "SpecNotReadable",
                       "this operator cannot read the spec; the job goes on as it was started: " +
                           builder.Job().invalid);
}

/// A job that is not over yet.
void Advance(PlanBuilder& builder) {
  EndIfOver(builder);
  if (builder.Finished()) return;
  if (!builder.Job().invalid.empty()) return LeaveAsItIs(builder);
  CheckDependencies(builder);
  if (builder.Finished()) return;
  if (builder.Job().suspend && !SuspensionRefused(builder)) {
    Suspend(builder);
    MirrorTerminalCondition(builder);
  } else if (WaitsForDependencies(builder)) {
    WaitForDependencies(builder);
  } else if (RunsReduce(builder)) {
    AwaitReduce(builder);
  } else {
    Run(builder);
  }
}

/// Figures of a job that was over before stay as they are.
void CompleteStatus(PlanBuilder& builder, bool was_over) {
  if (builder.Finished()) {
    ReportTasksNotRun(builder);
    MirrorTerminalCondition(builder);
  }
  if (!was_over) ReportFigures(builder);
  cluster::JobStatus& status = builder.Status();
  status.observed_generation = builder.Job().meta.generation;
  for (cluster::Condition& one : status.conditions) {
    one.observed_generation = status.observed_generation;
  }
  status.state = cluster::JobState(
      [&status](const std::string& type) -> std::optional<std::pair<std::string, std::string>> {
        const cluster::Condition* found = cluster::Find(status.conditions, type);
        if (found == nullptr) return std::nullopt;
        return std::pair(cluster::ToString(found->status), found->reason);
      });
}

void WriteStatus(PlanBuilder& builder) {
  const WriteRule rule = DecideStatusWrite(builder.snapshot().job.status, builder.Status(),
                                           builder.Now(), builder.snapshot().last_status_write);
  if (rule.due) builder.RequeueAfter(*rule.due);
  if (!rule.write) return;
  EmitConditionEvents(builder);
  builder.Result().status = builder.Status();
  builder.Result().status_is_urgent = rule.urgent;
}

}  // namespace

Plan MakePlan(const Snapshot& snapshot) {
  // Its objects are its own and go with it.
  if (snapshot.job.meta.deleted) return {};
  PlanBuilder builder(snapshot);
  const bool was_over = builder.Finished();
  if (!was_over) Advance(builder);
  if (builder.Finished()) FinishUp(builder);
  CompleteStatus(builder, was_over);
  WriteStatus(builder);
  return std::move(builder.Result());
}

}  // namespace evenkeel::plan
