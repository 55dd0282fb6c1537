#include "core/base/check.h"
#include "core/scheduling/strategies/adaptive_iterative.h"
#include "core/scheduling/strategies/compensated.h"
#include "core/scheduling/strategies/master_slave.h"
#include "core/scheduling/strategies/range_sharing.h"
#include "core/scheduling/strategies/static_split.h"
#include "core/scheduling/strategy.h"
#include "core/scheduling/tail_stealing/tail_stealing.h"

namespace evenkeel::scheduling {

using model::StrategyName;

std::unique_ptr<Strategy> MakeStrategy(const StrategyContext& context) {
  switch (context.balancing.strategy) {
    case StrategyName::kTailStealing:
      if (context.ranges) return std::make_unique<RangeSharing>(context);
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
  }
  EVENKEEL_CHECK(false, "unknown strategy");
  return nullptr;
}

}  // namespace evenkeel::scheduling
