#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scheduling/strategy.h"

/// Published techniques that the product does not offer: for the simulator and benchmarks, to
/// compare with. docs/techniques.md describes them.
namespace evenkeel::scheduling {

enum class TechniqueName {
  kStaticChunking,
  kSelfScheduling,
  kFixedSizeChunking,
  kModifiedFixedSizeChunking,
  kGuidedSelfScheduling,
  kTrapezoidSelfScheduling,
  kFactoring,
  kPracticalFactoring,
  kWeightedFactoring,
  kSteppedWeightedFactoring,
  kBatchWeightedFactoring,
  kChunkWeightedFactoring,
  kBatchWeightedFactoringAllTime,
  kChunkWeightedFactoringAllTime,
  kAdaptiveFactoring,
  kRandomChunks,
  kStaticStealing,
  kRandomStealing,
};

struct TechniqueOptions {
  /// Chunks: unfinished tasks are handed out a second time when no others are left (rDLB).
  bool reissue = false;
  /// Chunks have at least so many tasks, as long as there are so many; >= 1.
  std::int64_t least_chunk_tasks = 1;
  /// AWF: how many times weights change; >= 1.
  std::int32_t weight_updates = 10;
};

/// The published name: "FAC2".
[[nodiscard]] std::string ToString(TechniqueName name);
/// Nothing if there is no such technique.
[[nodiscard]] std::optional<TechniqueName> ParseTechniqueName(const std::string& text);
/// All techniques, in the order of docs/techniques.md.
[[nodiscard]] std::vector<TechniqueName> AllTechniques();

/// Makes the technique, whatever `context.balancing.strategy` names.
[[nodiscard]] std::unique_ptr<Strategy> MakeTechnique(TechniqueName name,
                                                      const TechniqueOptions& options,
                                                      const StrategyContext& context);

}  // namespace evenkeel::scheduling
