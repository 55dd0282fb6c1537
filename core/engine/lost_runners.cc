#include "core/engine/lost_runners.h"

#include <utility>

namespace evenkeel::engine {

void LostRunners::Add(Loss loss, Instant now) {
  waiting_.emplace(now + kPatience, std::move(loss));
}

bool LostRunners::WasKilled(const Loss& loss) const {
  const auto kill = kills_->find(loss.node);
  return kill != kills_->end() && loss.failed.ran->began <= kill->second &&
         kill->second <= loss.failed.ran->ended;
}

std::vector<LostRunners::Loss> LostRunners::TakeDecided(Instant now) {
  std::vector<Loss> decided;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const bool killed = WasKilled(it->second);
    if (!killed && it->first > now) {
      ++it;
      continue;
    }
    if (killed) it->second.failed.cause = model::FailureCause::kOutOfMemory;
    decided.push_back(std::move(it->second));
    it = waiting_.erase(it);
  }
  return decided;
}

}  // namespace evenkeel::engine
