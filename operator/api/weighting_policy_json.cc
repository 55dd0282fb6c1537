#include "operator/api/weighting_policy_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/model/manifest.h"
#include "core/model/policy_parsing.h"
#include "operator/api/lenient_json.h"
#include "operator/api/names.h"

namespace evenkeel::api {

PolicyView ReadWeightingPolicy(const nlohmann::json& object) {
  PolicyView view;
  view.name = Text(Child(object, "metadata"), "name");
  // Only what is ours: the server may add to metadata as it likes.
  auto policy = model::ReadPolicy({{"apiVersion", model::kApiVersion},
                                   {"kind", kPolicyKind},
                                   {"metadata", {{"name", view.name}}},
                                   {"spec", Child(object, "spec")}});
  if (policy) {
    view.policy = std::move(*policy);
  } else {
    view.invalid = policy.error().message;
  }
  return view;
}

}  // namespace evenkeel::api
