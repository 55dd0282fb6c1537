#include "operator/plan/plan.h"

namespace evenkeel::plan {
namespace {

struct Words {
  std::string operator()(const EnsureIdentity&) const { return "make certificates"; }
  std::string operator()(const ApplyPlan& action) const {
    return "apply plan for " + std::to_string(action.content.nodes.size()) + " nodes";
  }
  std::string operator()(const ApplyService&) const { return "apply service"; }
  std::string operator()(const ApplyNetworkPolicies&) const { return "apply network policies"; }
  std::string operator()(const CreateCoordinator& action) const {
    return "create coordinator, attempt " + std::to_string(action.pod.attempt);
  }
  std::string operator()(const CreateWorker& action) const {
    return "create worker on " + action.pod.node;
  }
  std::string operator()(const DeletePod& action) const {
    return "delete pod " + action.name + (action.at_once ? " at once" : "");
  }
  std::string operator()(const SuspendCoordinator& action) const { return "drain " + action.pod; }
  std::string operator()(const ResumeCoordinator& action) const {
    return "let " + action.pod + " go on";
  }
  std::string operator()(const RefreshCoordinator& action) const {
    return "show " + action.pod + " the new plan";
  }
  std::string operator()(const TakeSnapshot& action) const {
    return "keep the journal of " + action.pod;
  }
  std::string operator()(const DeleteJob&) const { return "delete the job"; }
};

}  // namespace

std::string Describe(const Action& action) { return std::visit(Words{}, action); }

}  // namespace evenkeel::plan
