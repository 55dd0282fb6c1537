#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "operator/api/manifests/network_policies.h"
#include "operator/identity/job_identity.h"
#include "operator/kube/client.h"
#include "operator/kube/micro_time.h"
#include "operator/plan/action.h"
#include "operator/plan/snapshot.h"
#include "operator/runtime/coordinator_link.h"
#include "operator/runtime/job_record.h"

namespace evenkeel::operating {

/// Why an action could not be carried out.
struct ErrandTrouble {
  std::string action;    ///< such as "pod primes-coordinator-1 cannot be created"
  std::string message;   ///< why, in one line
  bool lasting = false;  ///< it was refused; trying again at once will not help
  bool moot = false;     ///< the job itself is about to be deleted
};
using ErrandResult = tl::expected<void, ErrandTrouble>;

/// What errands need of the process. All of it outlives them.
struct ErrandTools {
  const kube::Client& client;
  CoordinatorLink& coordinators;
  const kube::WallClock& wall;
  std::string operator_key;  ///< from which the tokens for coordinators are made
  api::FlowSettings flows;
};

/// Carries out the actions of one plan, in order, and notes in the record what has come of them.
/// For one thread.
class JobErrand {
 public:
  /// `snapshot` is what the plan was made from.
  JobErrand(const ErrandTools& tools, const plan::Snapshot& snapshot, JobRecord& record)
      : tools_(tools), snapshot_(snapshot), job_(snapshot.job), record_(record) {}

  [[nodiscard]] ErrandResult Carry(const plan::Action& action);

 private:
  [[nodiscard]] ErrandResult Do(const plan::EnsureIdentity& action);
  [[nodiscard]] ErrandResult Do(const plan::ApplyPlan& action);
  [[nodiscard]] ErrandResult Do(const plan::ApplyService& action);
  [[nodiscard]] ErrandResult Do(const plan::ApplyNetworkPolicies& action);
  [[nodiscard]] ErrandResult Do(const plan::CreateCoordinator& action);
  [[nodiscard]] ErrandResult Do(const plan::CreateWorker& action);
  [[nodiscard]] ErrandResult Do(const plan::DeletePod& action);
  [[nodiscard]] ErrandResult Do(const plan::SuspendCoordinator& action);
  [[nodiscard]] ErrandResult Do(const plan::ResumeCoordinator& action);
  [[nodiscard]] ErrandResult Do(const plan::RefreshCoordinator& action);
  [[nodiscard]] ErrandResult Do(const plan::TakeSnapshot& action);
  [[nodiscard]] ErrandResult Do(const plan::DeleteJob& action);

  [[nodiscard]] ErrandResult Apply(const kube::Resource& resource, const kube::Json& object);
  [[nodiscard]] ErrandResult CreatePod(const kube::Json& pod);
  [[nodiscard]] ErrandResult CheckOwner(const std::string& pod, const std::string& action);
  /// Of the coordinator in the pod of this name; an error if it cannot be reached yet.
  [[nodiscard]] tl::expected<CoordinatorAddress, ErrandTrouble> AddressOf(
      const std::string& pod) const;

  const ErrandTools& tools_;
  const plan::Snapshot& snapshot_;
  const api::WeightedJob& job_;
  JobRecord& record_;
  std::optional<identity::JobIdentity> fresh_;  // made in this errand, not in the plan yet
};

/// Where the coordinator in this pod is and how to know it. The plan names the authority.
[[nodiscard]] CoordinatorAddress AddressOfCoordinator(const api::WeightedJob& job,
                                                      const api::PodView& pod,
                                                      const api::JobPlan& plan,
                                                      const std::string& operator_key);

}  // namespace evenkeel::operating
