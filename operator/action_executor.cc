#include "operator/action_executor.h"

#include <utility>
#include <variant>

#include "cluster/names.h"
#include "cluster/node_and_pod_json.h"
#include "operator/desired_objects.h"
#include "operator/manifests/coordinator_pod.h"
#include "operator/manifests/worker_pod.h"
#include "operator/resources.h"

namespace evenkeel::controller {
namespace {

using kube::ApiErrorKind;

bool IsPermanent(const kube::ApiError& error) {
  switch (error.kind) {
    case ApiErrorKind::kForbidden:
    case ApiErrorKind::kInvalid:
    case ApiErrorKind::kNotFound:
    case ApiErrorKind::kUnexpected:
      return true;
    default:
      return false;
  }
}

tl::unexpected<ActionError> Failed(std::string action, const kube::ApiError& error) {
  const bool namespace_terminating = error.kind == ApiErrorKind::kNamespaceTerminating;
  return tl::unexpected<ActionError>(
      {std::move(action), error.message, IsPermanent(error), namespace_terminating, {}});
}

tl::unexpected<ActionError> NameTaken(const std::string& object) {
  return tl::unexpected<ActionError>({object + " cannot be created",
                                      "an object of that name does not belong to this job", true,
                                      false, object});
}

tl::unexpected<ActionError> BeingCollected(const std::string& object) {
  return tl::unexpected<ActionError>(
      {object + " cannot be created",
       "the one of an earlier job of this name is still being deleted",
       false,
       false,
       {}});
}

std::string KindAndName(const kube::Json& object) {
  return object.value("kind", "object") + " " + object["metadata"].value("name", "");
}

}  // namespace

ActionResult ActionExecutor::Reconcile(const plan::DesiredObjects& objects) {
  for (const kube::DesiredObject& desired :
       MakeDesiredObjects(job_, objects, dependencies_.keys.Keys(), dependencies_.flows,
                          dependencies_.wall.Now())) {
    auto reconciled = Reconcile(desired);
    if (!reconciled) return reconciled;
  }
  record_.plan = objects.plan;
  return {};
}

ActionResult ActionExecutor::Reconcile(const kube::DesiredObject& desired) {
  using Kind = kube::OwnedObjectError::Kind;
  const auto observed = dependencies_.owned_objects.FindOwned(desired.resource, desired.key);
  const auto outcome = kube::ReconcileOwned(
      dependencies_.client, OwnedObjectSettings(), desired, observed.get(),
      record_.applied[{desired.kind, desired.key.name}], dependencies_.clock.Now());
  if (outcome) {
    awaits_cache_ = awaits_cache_ || *outcome == kube::OwnedObjectOutcome::kAwaitingCache;
    return {};
  }
  const kube::OwnedObjectError& error = outcome.error();
  switch (error.kind) {
    case Kind::kNameConflict:
      return NameTaken(error.object);
    case Kind::kBeingCollected:
      return BeingCollected(error.object);
    case Kind::kStale:
      return tl::unexpected<ActionError>(
          {error.object + " cannot be written", "it changed since it was read", false, false, {}});
    case Kind::kRefused:
      break;
  }
  return Failed(error.object + " cannot be written", error.api);
}

ActionResult ActionExecutor::Execute(const plan::Action& action) {
  return std::visit([this](const auto& what) { return Do(what); }, action);
}

ActionResult ActionExecutor::CreatePod(const kube::Json& pod) {
  const auto created = dependencies_.client.Create(resource::kPods, job_.meta.namespace_name, pod,
                                                   cluster::kManager);
  if (created) return {};
  const std::string action = KindAndName(pod) + " cannot be created";
  if (created.error().kind != ApiErrorKind::kAlreadyExists) return Failed(action, created.error());
  return CheckOwner(pod["metadata"].value("name", ""), action);
}

/// The cache may not show yet what was created.
ActionResult ActionExecutor::CheckOwner(const std::string& name, const std::string& action) {
  const auto there = dependencies_.client.Get(resource::kPods, job_.meta.namespace_name, name);
  if (!there) {
    if (there.error().kind == ApiErrorKind::kNotFound) return {};
    return Failed(action, there.error());
  }
  const cluster::PodView pod = cluster::ReadPod(*there);
  if (pod.owner == job_.meta.uid) return {};
  const std::string object = "Pod " + job_.meta.namespace_name + "/" + name;
  const bool of_earlier_job = !pod.owner.empty() && pod.job == job_.meta.name;
  if (of_earlier_job) return BeingCollected(object);
  return NameTaken(object);
}

ActionResult ActionExecutor::Do(const plan::CreateCoordinator& action) {
  kube::Json pod = cluster::CoordinatorPodManifest(job_, action.pod);
  if (dependencies_.flows.scrape_annotations) cluster::AnnotateForScrapes(pod);
  return CreatePod(pod);
}

ActionResult ActionExecutor::Do(const plan::CreateWorker& action) {
  return CreatePod(cluster::WorkerPodManifest(job_, action.pod));
}

ActionResult ActionExecutor::Do(const plan::DeletePod& action) {
  kube::DeleteOptions options;
  options.uid = action.uid;
  if (action.at_once) options.grace_period_seconds = 0;
  const auto deleted =
      dependencies_.client.Delete(resource::kPods, job_.meta.namespace_name, action.name, options);
  if (deleted || kube::IsGoneOrReplaced(deleted.error())) return {};
  return Failed("Pod " + action.name + " cannot be deleted", deleted.error());
}

ActionResult ActionExecutor::Do(const plan::RefreshCoordinator& action) {
  const kube::Json annotations = {{cluster::annotation::kRefreshed, std::to_string(action.value)}};
  const kube::Json patch = {{"metadata", {{"uid", action.uid}, {"annotations", annotations}}}};
  const auto patched =
      dependencies_.client.MergePatch(resource::kPods, job_.meta.namespace_name, action.pod, patch);
  if (patched || kube::IsGoneOrReplaced(patched.error())) return {};
  return Failed("Pod " + action.pod + " cannot be annotated", patched.error());
}

ActionResult ActionExecutor::Do(const plan::StoreSnapshot& action) {
  if (stored_snapshot_ == nullptr) return {};
  auto stored = Reconcile(MakeDesiredSnapshot(job_, action.attempt, stored_snapshot_));
  if (stored) {
    record_.kept = cluster::SnapshotView{action.attempt};
    record_.snapshot_refusal.reset();
  }
  return stored;
}

ActionResult ActionExecutor::Do(const plan::DeleteJob&) {
  kube::DeleteOptions options;
  options.uid = job_.meta.uid;
  options.propagation = kube::Propagation::kBackground;
  const auto deleted = dependencies_.client.Delete(resource::kJobs, job_.meta.namespace_name,
                                                   job_.meta.name, options);
  if (deleted || kube::IsGoneOrReplaced(deleted.error())) return {};
  return Failed("WeightedJob " + job_.meta.name + " cannot be deleted", deleted.error());
}

}  // namespace evenkeel::controller
