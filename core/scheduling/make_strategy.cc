#include "core/base/check.h"
#include "core/scheduling/chunks/chunk_rule.h"
#include "core/scheduling/strategies/adaptive_iterative.h"
#include "core/scheduling/strategies/chunk_self_scheduling.h"
#include "core/scheduling/strategies/compensated.h"
#include "core/scheduling/strategies/master_slave.h"
#include "core/scheduling/strategies/modified_master_slave.h"
#include "core/scheduling/strategies/static_split.h"
#include "core/scheduling/strategies/tail_stealing.h"
#include "core/scheduling/strategies/work_stealing.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {
namespace {

using model::StrategyName;

/// Null if the strategy hands out no chunks by a rule.
ChunkRulePtr MakeRule(const StrategyContext& context) {
  switch (context.balancing.strategy) {
    case StrategyName::kStaticChunking:
      return MakeStaticChunking();
    case StrategyName::kSelfScheduling:
      return MakeSelfScheduling();
    case StrategyName::kFixedSizeChunking:
      return MakeFixedSizeChunking();
    case StrategyName::kModifiedFixedSizeChunking:
      return MakeModifiedFixedSizeChunking();
    case StrategyName::kGuidedSelfScheduling:
      return MakeGuidedSelfScheduling();
    case StrategyName::kTrapezoidSelfScheduling:
      return MakeTrapezoidSelfScheduling();
    case StrategyName::kFactoring:
      return MakeFactoring();
    case StrategyName::kPracticalFactoring:
      return MakePracticalFactoring();
    case StrategyName::kWeightedFactoring:
      return MakeWeightedFactoring();
    case StrategyName::kSteppedWeightedFactoring:
      return MakeSteppedWeightedFactoring(context.balancing.rounds);
    case StrategyName::kBatchWeightedFactoring:
      return MakeBatchWeightedFactoring(WeighedTime::kBusy);
    case StrategyName::kChunkWeightedFactoring:
      return MakeChunkWeightedFactoring(WeighedTime::kBusy);
    case StrategyName::kBatchWeightedFactoringAllTime:
      return MakeBatchWeightedFactoring(WeighedTime::kAll);
    case StrategyName::kChunkWeightedFactoringAllTime:
      return MakeChunkWeightedFactoring(WeighedTime::kAll);
    case StrategyName::kAdaptiveFactoring:
      return MakeAdaptiveFactoring();
    case StrategyName::kRandomChunks:
      return MakeRandomChunks(context.seed);
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<Strategy> MakeStrategy(const StrategyContext& context) {
  if (auto rule = MakeRule(context)) {
    return std::make_unique<ChunkSelfScheduling>(context, std::move(rule));
  }
  switch (context.balancing.strategy) {
    case StrategyName::kTailStealing:
      return std::make_unique<TailStealing>(context);
    case StrategyName::kDomainDecomposition:
      return std::make_unique<StaticSplit>(context, StaticSplit::Kind::kDomainDecomposition);
    case StrategyName::kMasterSlave:
      return std::make_unique<MasterSlave>(context);
    case StrategyName::kModifiedMasterSlave:
      return std::make_unique<ModifiedMasterSlave>(context);
    case StrategyName::kAdaptiveIterative:
      return std::make_unique<AdaptiveIterative>(context);
    case StrategyName::kCompensated:
      return std::make_unique<Compensated>(context);
    case StrategyName::kInterleaved:
      return std::make_unique<StaticSplit>(context, StaticSplit::Kind::kInterleaved);
    case StrategyName::kStaticStealing:
      return std::make_unique<WorkStealing>(context, WorkStealing::Victim::kNext);
    case StrategyName::kRandomStealing:
      return std::make_unique<WorkStealing>(context, WorkStealing::Victim::kRandom);
    default:
      EVENKEEL_CHECK(false, "a strategy without a name");
      return nullptr;
  }
}

}  // namespace evenkeel::scheduling
