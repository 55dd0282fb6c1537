#include "core/model/job_spec.h"

#include <array>
#include <utility>

namespace evenkeel::model {
namespace {

constexpr std::array<std::pair<StrategyName, const char*>, 25> kStrategies{{
    {StrategyName::kTailStealing, "TailStealing"},
    {StrategyName::kDomainDecomposition, "DomainDecomposition"},
    {StrategyName::kMasterSlave, "MasterSlave"},
    {StrategyName::kModifiedMasterSlave, "ModifiedMasterSlave"},
    {StrategyName::kAdaptiveIterative, "AdaptiveIterative"},
    {StrategyName::kCompensated, "Compensated"},
    {StrategyName::kInterleaved, "Interleaved"},
    {StrategyName::kStaticChunking, "STATIC"},
    {StrategyName::kSelfScheduling, "SS"},
    {StrategyName::kFixedSizeChunking, "FSC"},
    {StrategyName::kModifiedFixedSizeChunking, "mFSC"},
    {StrategyName::kGuidedSelfScheduling, "GSS"},
    {StrategyName::kTrapezoidSelfScheduling, "TSS"},
    {StrategyName::kFactoring, "FAC"},
    {StrategyName::kPracticalFactoring, "FAC2"},
    {StrategyName::kWeightedFactoring, "WF"},
    {StrategyName::kSteppedWeightedFactoring, "AWF"},
    {StrategyName::kBatchWeightedFactoring, "AWF-B"},
    {StrategyName::kChunkWeightedFactoring, "AWF-C"},
    {StrategyName::kBatchWeightedFactoringAllTime, "AWF-D"},
    {StrategyName::kChunkWeightedFactoringAllTime, "AWF-E"},
    {StrategyName::kAdaptiveFactoring, "AF"},
    {StrategyName::kRandomChunks, "RAND"},
    {StrategyName::kStaticStealing, "StaticStealing"},
    {StrategyName::kRandomStealing, "RandomStealing"},
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
