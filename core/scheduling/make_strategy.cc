#include "core/base/check.h"
#include "core/scheduling/strategies/adaptive_iterative.h"
#include "core/scheduling/strategies/master_slave.h"
#include "core/scheduling/strategies/modified_master_slave.h"
#include "core/scheduling/strategies/static_split.h"
#include "core/scheduling/strategies/tail_stealing.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

std::unique_ptr<Strategy> MakeStrategy(const StrategyContext& context) {
  switch (context.balancing.strategy) {
    case model::StrategyName::kTailStealing:
      return std::make_unique<TailStealing>(context);
    case model::StrategyName::kDomainDecomposition:
      return std::make_unique<StaticSplit>(context, StaticSplit::Kind::kDomainDecomposition);
    case model::StrategyName::kMasterSlave:
      return std::make_unique<MasterSlave>(context);
    case model::StrategyName::kModifiedMasterSlave:
      return std::make_unique<ModifiedMasterSlave>(context);
    case model::StrategyName::kAdaptiveIterative:
      return std::make_unique<AdaptiveIterative>(context);
    case model::StrategyName::kInterleaved:
      return std::make_unique<StaticSplit>(context, StaticSplit::Kind::kInterleaved);
  }
  EVENKEEL_CHECK(false, "a strategy without a name");
  return nullptr;
}

}  // namespace evenkeel::scheduling
