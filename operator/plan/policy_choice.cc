#include "operator/plan/policy_choice.h"

#include "core/scheduling/fuzzy/builtin_policies.h"

namespace evenkeel::plan {

PolicyChoice ChoosePolicy(const Snapshot& snapshot) {
  const model::WeightingSpec& weighting = snapshot.job.spec.weighting;
  const bool needed = weighting.mode != model::WeightingMode::kExplicit &&
                      weighting.mode != model::WeightingMode::kEqual;
  if (!needed) return {};
  if (snapshot.policy && snapshot.policy->invalid.empty()) return {snapshot.policy->policy, {}, {}};
  if (snapshot.policy) {
    return {std::nullopt, "InvalidPolicy",
            "WeightingPolicy " + weighting.policy + ": " + snapshot.policy->invalid};
  }
  if (auto builtin = scheduling::FindBuiltinPolicy(weighting.policy)) return {builtin, {}, {}};
  return {std::nullopt, "UnknownPolicy",
          "spec.weighting.policy: there is no WeightingPolicy " + weighting.policy};
}

}  // namespace evenkeel::plan
