#include "core/scheduling/techniques/technique.h"

#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/scheduling/techniques/adaptive_chunks.h"
#include "core/scheduling/techniques/chunk_self_scheduling.h"
#include "core/scheduling/techniques/factoring_chunks.h"
#include "core/scheduling/techniques/fixed_chunks.h"
#include "core/scheduling/techniques/work_stealing.h"

namespace evenkeel::scheduling {
namespace {

constexpr std::array<std::pair<TechniqueName, const char*>, 18> kTechniques{{
    {TechniqueName::kStaticChunking, "STATIC"},
    {TechniqueName::kSelfScheduling, "SS"},
    {TechniqueName::kFixedSizeChunking, "FSC"},
    {TechniqueName::kModifiedFixedSizeChunking, "mFSC"},
    {TechniqueName::kGuidedSelfScheduling, "GSS"},
    {TechniqueName::kTrapezoidSelfScheduling, "TSS"},
    {TechniqueName::kFactoring, "FAC"},
    {TechniqueName::kPracticalFactoring, "FAC2"},
    {TechniqueName::kWeightedFactoring, "WF"},
    {TechniqueName::kSteppedWeightedFactoring, "AWF"},
    {TechniqueName::kBatchWeightedFactoring, "AWF-B"},
    {TechniqueName::kChunkWeightedFactoring, "AWF-C"},
    {TechniqueName::kBatchWeightedFactoringAllTime, "AWF-D"},
    {TechniqueName::kChunkWeightedFactoringAllTime, "AWF-E"},
    {TechniqueName::kAdaptiveFactoring, "AF"},
    {TechniqueName::kRandomChunks, "RAND"},
    {TechniqueName::kStaticStealing, "StaticStealing"},
    {TechniqueName::kRandomStealing, "RandomStealing"},
}};

/// Null if the technique is not one of chunks.
ChunkRulePtr MakeRule(TechniqueName name, const TechniqueOptions& options, std::uint64_t seed) {
  switch (name) {
    case TechniqueName::kStaticChunking:
      return MakeStaticChunking();
    case TechniqueName::kSelfScheduling:
      return MakeSelfScheduling();
    case TechniqueName::kFixedSizeChunking:
      return MakeFixedSizeChunking();
    case TechniqueName::kModifiedFixedSizeChunking:
      return MakeModifiedFixedSizeChunking();
    case TechniqueName::kGuidedSelfScheduling:
      return MakeGuidedSelfScheduling();
    case TechniqueName::kTrapezoidSelfScheduling:
      return MakeTrapezoidSelfScheduling();
    case TechniqueName::kFactoring:
      return MakeFactoring();
    case TechniqueName::kPracticalFactoring:
      return MakePracticalFactoring();
    case TechniqueName::kWeightedFactoring:
      return MakeWeightedFactoring();
    case TechniqueName::kSteppedWeightedFactoring:
      return MakeSteppedWeightedFactoring(options.weight_updates);
    case TechniqueName::kBatchWeightedFactoring:
      return MakeBatchWeightedFactoring(WeighedTime::kBusy);
    case TechniqueName::kChunkWeightedFactoring:
      return MakeChunkWeightedFactoring(WeighedTime::kBusy);
    case TechniqueName::kBatchWeightedFactoringAllTime:
      return MakeBatchWeightedFactoring(WeighedTime::kAll);
    case TechniqueName::kChunkWeightedFactoringAllTime:
      return MakeChunkWeightedFactoring(WeighedTime::kAll);
    case TechniqueName::kAdaptiveFactoring:
      return MakeAdaptiveFactoring();
    case TechniqueName::kRandomChunks:
      return MakeRandomChunks(seed);
    case TechniqueName::kStaticStealing:
    case TechniqueName::kRandomStealing:
      return nullptr;
  }
  EVENKEEL_CHECK(false, "unknown technique");
  return nullptr;
}

}  // namespace

std::string ToString(TechniqueName name) {
  for (const auto& [value, text] : kTechniques) {
    if (value == name) return text;
  }
  return "?";
}

std::optional<TechniqueName> ParseTechniqueName(const std::string& text) {
  for (const auto& [value, name] : kTechniques) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::vector<TechniqueName> AllTechniques() {
  std::vector<TechniqueName> all;
  for (const auto& entry : kTechniques) all.push_back(entry.first);
  return all;
}

std::unique_ptr<Strategy> MakeTechnique(TechniqueName name, const TechniqueOptions& options,
                                        const StrategyContext& context) {
  if (auto rule = MakeRule(name, options, context.seed)) {
    return std::make_unique<ChunkSelfScheduling>(context, options, std::move(rule));
  }
  const bool random = name == TechniqueName::kRandomStealing;
  return std::make_unique<WorkStealing>(
      context, random ? WorkStealing::Victim::kRandom : WorkStealing::Victim::kNext);
}

}  // namespace evenkeel::scheduling
