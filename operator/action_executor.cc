#include "operator/action_executor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "cluster/names.h"
#include "cluster/node_and_pod_json.h"
#include "operator/manifests/coordinator_pod.h"
#include "operator/manifests/job_objects.h"
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

tl::unexpected<ActionError> Trouble(std::string action, const kube::ApiError& error) {
  const bool namespace_terminating = error.kind == ApiErrorKind::kNamespaceTerminating;
  return tl::unexpected<ActionError>(
      {std::move(action), error.message, IsPermanent(error), namespace_terminating});
}

tl::unexpected<ActionError> Trouble(std::string action, const Error& error) {
  return tl::unexpected<ActionError>(
      {std::move(action), error.message, error.code == ErrorCode::kConflict});
}

/// Certificates outlive the job's deadline; jobs without one get ten years.
std::chrono::seconds Lifetime(const cluster::WeightedJob& job) {
  constexpr auto kDay = std::chrono::hours(24);
  constexpr auto kTenYears = 3650 * kDay;
  const Duration deadline = job.spec.active_deadline.value_or(Duration::zero());
  // Time during which the job is suspended does not count towards the deadline.
  return kTenYears + std::chrono::ceil<std::chrono::seconds>(deadline);
}

std::string KindAndName(const kube::Json& object) {
  return object.value("kind", "object") + " " + object["metadata"].value("name", "");
}

}  // namespace

CoordinatorAddress AddressOfCoordinator(const cluster::WeightedJob& job,
                                        const cluster::PodView& pod, const cluster::JobPlan& plan,
                                        const std::string& operator_key) {
  return {pod.uid, pod.ip, cluster::CoordinatorName(job.meta.name), plan.ca_certificate,
          identity::OperatorToken(operator_key, job.meta.uid)};
}

ActionResult ActionExecutor::Execute(const plan::Action& action) {
  return std::visit([this](const auto& what) { return Do(what); }, action);
}

ActionResult ActionExecutor::Apply(const kube::Resource& resource, const kube::Json& object) {
  const auto applied =
      tools_.client.Apply(resource, job_.meta.namespace_name, object["metadata"].value("name", ""),
                          object, {cluster::kManager, true});
  if (!applied) return Trouble(KindAndName(object) + " cannot be applied", applied.error());
  return {};
}

ActionResult ActionExecutor::CreatePod(const kube::Json& pod) {
  const auto created = tools_.client.Create(resource::kPods, job_.meta.namespace_name, pod);
  if (created) return {};
  const std::string action = KindAndName(pod) + " cannot be created";
  if (created.error().kind != ApiErrorKind::kAlreadyExists) return Trouble(action, created.error());
  return CheckOwner(pod["metadata"].value("name", ""), action);
}

// The cache may not show yet what was created. Those of an earlier job of this name will be gone
// soon; somebody else's pod may stay.
ActionResult ActionExecutor::CheckOwner(const std::string& name, const std::string& action) {
  const auto there = tools_.client.Get(resource::kPods, job_.meta.namespace_name, name);
  if (!there) {
    if (there.error().kind == ApiErrorKind::kNotFound) return {};
    return Trouble(action, there.error());
  }
  const cluster::PodView pod = cluster::ReadPod(*there);
  if (pod.owner == job_.meta.uid) return {};
  const bool of_earlier_job = !pod.owner.empty() && pod.job == job_.meta.name;
  return tl::unexpected<ActionError>(
      {action, "there is one of that name that is not this job's", !of_earlier_job});
}

ActionResult ActionExecutor::Do(const plan::EnsureIdentity&) {
  auto made = identity::MakeJobIdentity(
      {job_.meta.namespace_name, job_.meta.name, tools_.wall.Now(), Lifetime(job_)});
  if (!made) return Trouble("certificates cannot be made", made.error());
  const auto token = identity::OperatorToken(tools_.operator_key, job_.meta.uid);
  const cluster::TlsFiles coordinator{made->ca_pem, made->coordinator.certificate_pem,
                                      made->coordinator.key_pem};
  const cluster::TlsFiles worker{made->ca_pem, made->worker.certificate_pem, made->worker.key_pem};
  auto applied = Apply(resource::kSecrets, cluster::CoordinatorSecret(job_, coordinator, token));
  if (!applied) return applied;
  applied = Apply(resource::kSecrets, cluster::WorkerSecret(job_, worker));
  if (applied) fresh_ = std::move(*made);
  return applied;
}

ActionResult ActionExecutor::Do(const plan::ApplyPlan& action) {
  cluster::JobPlan content = action.content;
  if (fresh_) {
    content.ca_certificate = fresh_->ca_pem;
    content.identity = fresh_->fingerprint;
  }
  auto applied = Apply(resource::kConfigMaps, cluster::PlanConfigMap(job_, content));
  if (applied) record_.plan = std::move(content);
  return applied;
}

ActionResult ActionExecutor::Do(const plan::ApplyService& action) {
  return Apply(resource::kServices, cluster::CoordinatorService(job_, action.attempt));
}

ActionResult ActionExecutor::Do(const plan::ApplyNetworkPolicies&) {
  auto applied =
      Apply(resource::kNetworkPolicies, cluster::CoordinatorNetworkPolicy(job_, tools_.flows));
  if (!applied) return applied;
  return Apply(resource::kNetworkPolicies, cluster::WorkerNetworkPolicy(job_, tools_.flows));
}

ActionResult ActionExecutor::Do(const plan::CreateCoordinator& action) {
  kube::Json pod = cluster::CoordinatorPodManifest(job_, action.pod);
  if (tools_.flows.scrape_annotations) cluster::AnnotateForScrapes(pod);
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
      tools_.client.Delete(resource::kPods, job_.meta.namespace_name, action.name, options);
  if (deleted) return {};
  const bool gone = deleted.error().kind == ApiErrorKind::kNotFound ||
                    deleted.error().kind == ApiErrorKind::kConflict;  // another uid by now
  if (!gone) return Trouble("Pod " + action.name + " cannot be deleted", deleted.error());
  return {};
}

tl::expected<CoordinatorAddress, ActionError> ActionExecutor::AddressOf(
    const std::string& pod) const {
  const auto found = std::find_if(snapshot_.pods.begin(), snapshot_.pods.end(),
                                  [&](const auto& one) { return one.name == pod; });
  if (found == snapshot_.pods.end() || found->ip.empty() || !record_.plan) {
    return tl::unexpected<ActionError>(
        {"Pod " + pod + " cannot be reached", "it has no address yet", false});
  }
  return AddressOfCoordinator(job_, *found, *record_.plan, tools_.operator_key);
}

ActionResult ActionExecutor::Do(const plan::SuspendCoordinator& action) {
  const auto address = AddressOf(action.pod);
  if (!address) return tl::unexpected(address.error());
  const auto done = tools_.coordinators.Suspend(*address);
  if (!done) return Trouble("Pod " + action.pod + " cannot be drained", done.error());
  return {};
}

ActionResult ActionExecutor::Do(const plan::ResumeCoordinator& action) {
  const auto address = AddressOf(action.pod);
  if (!address) return tl::unexpected(address.error());
  const auto done = tools_.coordinators.Resume(*address);
  if (!done) return Trouble("Pod " + action.pod + " cannot be told to go on", done.error());
  return {};
}

ActionResult ActionExecutor::Do(const plan::RefreshCoordinator& action) {
  const kube::Json annotations = {{cluster::annotation::kRefreshed, std::to_string(action.value)}};
  const kube::Json patch = {{"metadata", {{"uid", action.uid}, {"annotations", annotations}}}};
  const auto patched =
      tools_.client.MergePatch(resource::kPods, job_.meta.namespace_name, action.pod, patch);
  if (patched) return {};
  const bool another = patched.error().kind == ApiErrorKind::kNotFound ||
                       patched.error().kind == ApiErrorKind::kConflict;
  if (!another) return Trouble("Pod " + action.pod + " cannot be annotated", patched.error());
  return {};
}

ActionResult ActionExecutor::Do(const plan::TakeSnapshot& action) {
  const auto address = AddressOf(action.pod);
  if (!address) return tl::unexpected(address.error());
  const auto bytes = tools_.coordinators.TakeSnapshot(*address);
  if (!bytes && bytes.error().code == ErrorCode::kConflict) {
    record_.snapshot_refusal = {action.attempt, bytes.error().message};
    return {};
  }
  if (!bytes) return Trouble("no snapshot of Pod " + action.pod, bytes.error());
  auto applied =
      Apply(resource::kConfigMaps, cluster::SnapshotConfigMap(job_, action.attempt, *bytes));
  if (applied) {
    record_.kept = cluster::SnapshotView{action.attempt};
    record_.snapshot_refusal.reset();
  }
  return applied;
}

ActionResult ActionExecutor::Do(const plan::DeleteJob&) {
  kube::DeleteOptions options;
  options.uid = job_.meta.uid;
  options.propagation = kube::Propagation::kBackground;
  const auto deleted =
      tools_.client.Delete(resource::kJobs, job_.meta.namespace_name, job_.meta.name, options);
  const bool gone = deleted || deleted.error().kind == ApiErrorKind::kNotFound ||
                    deleted.error().kind == ApiErrorKind::kConflict;
  if (!gone)
    return Trouble("WeightedJob " + job_.meta.name + " cannot be deleted", deleted.error());
  return {};
}

}  // namespace evenkeel::controller
