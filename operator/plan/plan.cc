#include "operator/plan/plan.h"

namespace evenkeel::plan {
namespace {

struct Words {
  std::string operator()(const CreateCoordinator& action) const {
    return "create coordinator, attempt " + std::to_string(action.pod.attempt);
  }
  std::string operator()(const CreateWorker& action) const {
    return "create worker on " + action.pod.node;
  }
  std::string operator()(const DeletePod& action) const {
    return "delete pod " + action.name + (action.at_once ? " at once" : "");
  }
  std::string operator()(const RefreshCoordinator& action) const {
    return "show " + action.pod + " the new plan";
  }
  std::string operator()(const StoreSnapshot& action) const {
    return "store the snapshot of attempt " + std::to_string(action.attempt);
  }
  std::string operator()(const DeleteJob&) const { return "delete the job"; }
};

}  // namespace

std::string Describe(const Action& action) { return std::visit(Words{}, action); }

}  // namespace evenkeel::plan
