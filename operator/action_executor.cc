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

namespace evenkeel::operating {
namespace {

using kube::ApiErrorKind;

bool Lasting(const kube::ApiError& error) {
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

tl::unexpected<ErrandTrouble> Trouble(std::string action, const kube::ApiError& error) {
  const bool moot = error.kind == ApiErrorKind::kNamespaceEnds;
  return tl::unexpected<ErrandTrouble>({std::move(action), error.message, Lasting(error), moot});
}

tl::unexpected<ErrandTrouble> Trouble(std::string action, const Error& error) {
  return tl::unexpected<ErrandTrouble>(
      {std::move(action), error.message, error.code == ErrorCode::kConflict});
}

/// Certificates outlive the job's deadline; jobs without one get ten years.
std::chrono::seconds Lifetime(const api::WeightedJob& job) {
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

CoordinatorAddress AddressOfCoordinator(const api::WeightedJob& job, const api::PodView& pod,
                                        const api::JobPlan& plan, const std::string& operator_key) {
  return {pod.uid, pod.ip, api::CoordinatorName(job.meta.name), plan.ca_certificate,
          identity::OperatorToken(operator_key, job.meta.uid)};
}

ErrandResult JobErrand::Carry(const plan::Action& action) {
  return std::visit([this](const auto& what) { return Do(what); }, action);
}

ErrandResult JobErrand::Apply(const kube::Resource& resource, const kube::Json& object) {
  const auto applied =
      tools_.client.Apply(resource, job_.meta.job_namespace, object["metadata"].value("name", ""),
                          object, {api::kManager, true});
  if (!applied) return Trouble(KindAndName(object) + " cannot be applied", applied.error());
  return {};
}

ErrandResult JobErrand::CreatePod(const kube::Json& pod) {
  const auto created = tools_.client.Create(resource::kPods, job_.meta.job_namespace, pod);
  if (created) return {};
  const std::string action = KindAndName(pod) + " cannot be created";
  if (created.error().kind != ApiErrorKind::kAlreadyExists) return Trouble(action, created.error());
  return CheckOwner(pod["metadata"].value("name", ""), action);
}

// The cache may not show yet what was created. Those of an earlier job of this name will be gone
// soon; somebody else's pod may stay.
ErrandResult JobErrand::CheckOwner(const std::string& name, const std::string& action) {
  const auto there = tools_.client.Get(resource::kPods, job_.meta.job_namespace, name);
  if (!there) {
    if (there.error().kind == ApiErrorKind::kNotFound) return {};
    return Trouble(action, there.error());
  }
  const api::PodView pod = api::ReadPod(*there);
  if (pod.owner == job_.meta.uid) return {};
  const bool of_earlier_job = !pod.owner.empty() && pod.job == job_.meta.name;
  return tl::unexpected<ErrandTrouble>(
      {action, "there is one of that name that is not this job's", !of_earlier_job});
}

ErrandResult JobErrand::Do(const plan::EnsureIdentity&) {
  auto made = identity::MakeJobIdentity(
      {job_.meta.job_namespace, job_.meta.name, tools_.wall.Now(), Lifetime(job_)});
  if (!made) return Trouble("certificates cannot be made", made.error());
  const auto token = identity::OperatorToken(tools_.operator_key, job_.meta.uid);
  const api::TlsFiles coordinator{made->ca_pem, made->coordinator.certificate_pem,
                                  made->coordinator.key_pem};
  const api::TlsFiles worker{made->ca_pem, made->worker.certificate_pem, made->worker.key_pem};
  auto applied = Apply(resource::kSecrets, api::CoordinatorSecret(job_, coordinator, token));
  if (!applied) return applied;
  applied = Apply(resource::kSecrets, api::WorkerSecret(job_, worker));
  if (applied) fresh_ = std::move(*made);
  return applied;
}

ErrandResult JobErrand::Do(const plan::ApplyPlan& action) {
  api::JobPlan content = action.content;
  if (fresh_) {
    content.ca_certificate = fresh_->ca_pem;
    content.identity = fresh_->fingerprint;
  }
  auto applied = Apply(resource::kConfigMaps, api::PlanConfigMap(job_, content));
  if (applied) record_.plan = std::move(content);
  return applied;
}

ErrandResult JobErrand::Do(const plan::ApplyService& action) {
  return Apply(resource::kServices, api::CoordinatorService(job_, action.attempt));
}

ErrandResult JobErrand::Do(const plan::ApplyNetworkPolicies&) {
  auto applied =
      Apply(resource::kNetworkPolicies, api::CoordinatorNetworkPolicy(job_, tools_.flows));
  if (!applied) return applied;
  return Apply(resource::kNetworkPolicies, api::WorkerNetworkPolicy(job_, tools_.flows));
}

ErrandResult JobErrand::Do(const plan::CreateCoordinator& action) {
  kube::Json pod = api::CoordinatorPodManifest(job_, action.pod);
  if (tools_.flows.scrape_annotations) api::AnnotateForScrapes(pod);
  return CreatePod(pod);
}

ErrandResult JobErrand::Do(const plan::CreateWorker& action) {
  return CreatePod(api::WorkerPodManifest(job_, action.pod));
}

ErrandResult JobErrand::Do(const plan::DeletePod& action) {
  kube::DeleteOptions options;
  options.uid = action.uid;
  if (action.at_once) options.grace_period_seconds = 0;
  const auto deleted =
      tools_.client.Delete(resource::kPods, job_.meta.job_namespace, action.name, options);
  if (deleted) return {};
  const bool gone = deleted.error().kind == ApiErrorKind::kNotFound ||
                    deleted.error().kind == ApiErrorKind::kConflict;  // another uid by now
  if (!gone) return Trouble("Pod " + action.name + " cannot be deleted", deleted.error());
  return {};
}

tl::expected<CoordinatorAddress, ErrandTrouble> JobErrand::AddressOf(const std::string& pod) const {
  const auto found = std::find_if(snapshot_.pods.begin(), snapshot_.pods.end(),
                                  [&](const auto& one) { return one.name == pod; });
  if (found == snapshot_.pods.end() || found->ip.empty() || !record_.plan) {
    return tl::unexpected<ErrandTrouble>(
        {"Pod " + pod + " cannot be reached", "it has no address yet", false});
  }
  return AddressOfCoordinator(job_, *found, *record_.plan, tools_.operator_key);
}

ErrandResult JobErrand::Do(const plan::SuspendCoordinator& action) {
  const auto address = AddressOf(action.pod);
  if (!address) return tl::unexpected(address.error());
  const auto done = tools_.coordinators.Suspend(*address);
  if (!done) return Trouble("Pod " + action.pod + " cannot be drained", done.error());
  return {};
}

ErrandResult JobErrand::Do(const plan::ResumeCoordinator& action) {
  const auto address = AddressOf(action.pod);
  if (!address) return tl::unexpected(address.error());
  const auto done = tools_.coordinators.Resume(*address);
  if (!done) return Trouble("Pod " + action.pod + " cannot be told to go on", done.error());
  return {};
}

ErrandResult JobErrand::Do(const plan::RefreshCoordinator& action) {
  const kube::Json annotations = {{api::annotation::kRefreshed, std::to_string(action.value)}};
  const kube::Json patch = {{"metadata", {{"uid", action.uid}, {"annotations", annotations}}}};
  const auto patched =
      tools_.client.MergePatch(resource::kPods, job_.meta.job_namespace, action.pod, patch);
  if (patched) return {};
  const bool another = patched.error().kind == ApiErrorKind::kNotFound ||
                       patched.error().kind == ApiErrorKind::kConflict;
  if (!another) return Trouble("Pod " + action.pod + " cannot be annotated", patched.error());
  return {};
}

ErrandResult JobErrand::Do(const plan::TakeSnapshot& action) {
  const auto address = AddressOf(action.pod);
  if (!address) return tl::unexpected(address.error());
  const auto bytes = tools_.coordinators.TakeSnapshot(*address);
  if (!bytes && bytes.error().code == ErrorCode::kConflict) {
    record_.snapshot_refusal = {action.attempt, bytes.error().message};
    return {};
  }
  if (!bytes) return Trouble("no snapshot of Pod " + action.pod, bytes.error());
  auto applied = Apply(resource::kConfigMaps, api::SnapshotConfigMap(job_, action.attempt, *bytes));
  if (applied) {
    record_.kept = api::SnapshotView{action.attempt};
    record_.snapshot_refusal.reset();
  }
  return applied;
}

ErrandResult JobErrand::Do(const plan::DeleteJob&) {
  kube::DeleteOptions options;
  options.uid = job_.meta.uid;
  options.propagation = kube::Propagation::kBackground;
  const auto deleted =
      tools_.client.Delete(resource::kJobs, job_.meta.job_namespace, job_.meta.name, options);
  const bool gone = deleted || deleted.error().kind == ApiErrorKind::kNotFound ||
                    deleted.error().kind == ApiErrorKind::kConflict;
  if (!gone)
    return Trouble("WeightedJob " + job_.meta.name + " cannot be deleted", deleted.error());
  return {};
}

}  // namespace evenkeel::operating
