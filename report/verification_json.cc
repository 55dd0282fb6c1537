#include "report/verification_json.h"

#include <algorithm>
#include <utility>

namespace evenkeel::report {
namespace {

constexpr std::size_t kMaxNodes = 64;

}  // namespace

Json VerificationToJson(const model::VerificationSummary& verification) {
  Json nodes = Json::array();
  const auto& exclusions = verification.exclusions;
  for (std::size_t i = 0; i < std::min(exclusions.size(), kMaxNodes); ++i) {
    nodes.push_back({{"node", exclusions[i].node},
                     {"task", exclusions[i].index},
                     {"reason", exclusions[i].reason},
                     {"revoked", exclusions[i].revoked}});
  }
  return {{"confirmed", verification.confirmed},
          {"open", verification.open},
          {"excludedNodes", std::move(nodes)}};
}

std::optional<model::VerificationSummary> VerificationFromJson(const Json& object,
                                                               std::string& problem) {
  const Json* const found = JsonReader(object, "", problem)
                                .Child("verification", Json::value_t::object, Presence::kOptional);
  if (found == nullptr) return std::nullopt;
  model::VerificationSummary verification;
  JsonReader reader(*found, "verification", problem);
  reader.Read("confirmed", verification.confirmed);
  reader.Read("open", verification.open);
  const Json* const nodes = reader.Child("excludedNodes", Json::value_t::array);
  if (nodes == nullptr) return verification;
  for (const Json& node : *nodes) {
    if (!node.is_object()) {
      reader.Complain("excludedNodes", "objects expected");
      break;
    }
    model::ExclusionRecord& exclusion = verification.exclusions.emplace_back();
    JsonReader row(node, "verification.excludedNodes", problem);
    row.Read("node", exclusion.node);
    row.Read("task", exclusion.index);
    row.Read("reason", exclusion.reason);
    row.Read("revoked", exclusion.revoked);
  }
  return verification;
}

}  // namespace evenkeel::report
