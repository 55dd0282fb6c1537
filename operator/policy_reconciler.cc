#include "operator/policy_reconciler.h"

#include <algorithm>
#include <chrono>

#include "cluster/job_status.h"
#include "cluster/job_status_json.h"
#include "cluster/names.h"
#include "operator/plan/weighting.h"
#include "operator/resources.h"

namespace evenkeel::controller {
namespace {

/// Shortest time between two writes for the same spec.
constexpr Duration kWriteInterval = std::chrono::minutes(1);

kube::Json StatusObject(const cluster::PolicyView& policy, const cluster::Condition& condition) {
  return {{"apiVersion", kube::ApiVersionOf(resource::kPolicies)},
          {"kind", cluster::kPolicyKind},
          {"metadata",
           {{"name", policy.meta.name}, {"uid", policy.meta.uid}}},  // never that of a later one
          {"status", {{"conditions", cluster::ConditionsJson({condition})}}}};
}

}  // namespace

Duration PolicyReconciler::TimeUntilWrite(const cluster::PolicyView& policy) const {
  const std::scoped_lock lock(mutex_);
  const auto last = writes_.find(policy.meta.name);
  if (last == writes_.end() || last->second.uid != policy.meta.uid ||
      last->second.generation != policy.meta.generation) {
    return Duration::zero();
  }
  return std::max(last->second.at + kWriteInterval - parts_.clock.Now(), Duration::zero());
}

Reconciliation PolicyReconciler::Reconcile(const kube::ObjectKey& key) {
  Reconciliation end;
  const auto policy = parts_.cache.Policy(key.name);
  if (!policy) {
    const std::scoped_lock lock(mutex_);
    writes_.erase(key.name);
    return end;
  }
  const auto now = platform::Timestamp(parts_.wall.Now().time_since_epoch());
  cluster::Conditions desired = policy->conditions;
  cluster::Set(desired, plan::AcceptedCondition(*policy, now));
  if (desired == policy->conditions) return end;
  Duration wait = TimeUntilWrite(*policy);
  if (wait == Duration::zero()) wait = parts_.pacer.Ask(key, true, parts_.clock.Now());
  if (wait > Duration::zero()) {
    end.requeue_after = wait;
    end.status_pending = true;
    return end;
  }
  const auto written = parts_.client.ApplyStatus(
      resource::kPolicies, "", key.name,
      StatusObject(*policy, *cluster::Find(desired, cluster::condition_type::kAccepted)),
      {cluster::kManager, true});
  if (written) {
    const std::scoped_lock lock(mutex_);
    writes_[key.name] = {policy->meta.uid, policy->meta.generation, parts_.clock.Now()};
    return end;
  }
  if (kube::IsGoneOrReplaced(written.error())) return end;  // the watch will tell
  end.failed = true;
  end.error = "status cannot be written: " + written.error().message;
  return end;
}

}  // namespace evenkeel::controller
