#include "core/model/job_spec.h"

#include <array>
#include <utility>

namespace evenkeel::model {
namespace {

constexpr std::array<std::pair<StrategyName, const char*>, 7> kStrategies{{
    {StrategyName::kTailStealing, "TailStealing"},
    {StrategyName::kDomainDecomposition, "DomainDecomposition"},
    {StrategyName::kMasterSlave, "MasterSlave"},
    {StrategyName::kModifiedMasterSlave, "ModifiedMasterSlave"},
    {StrategyName::kAdaptiveIterative, "AdaptiveIterative"},
    {StrategyName::kCompensated, "Compensated"},
    {StrategyName::kInterleaved, "Interleaved"},
}};

}  // namespace

std::string ToString(StrategyName name) {
  for (const auto& [value, text] : kStrategies) {
    if (value == name) return text;
  }
  return "?";
}

std::optional<StrategyName> ParseStrategyName(const std::string& text) {
  for (const auto& [value, name] : kStrategies) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::vector<StrategyName> AllStrategies() {
  std::vector<StrategyName> all;
  for (const auto& entry : kStrategies) all.push_back(entry.first);
  return all;
}

}  // namespace evenkeel::model
