#include "core/engine/lost_runners.h"

#include <utility>

namespace evenkeel::engine {

void LostRunners::Add(Loss loss, Instant now) {
  waiting_.emplace(now + kPatience, std::move(loss));
}

std::optional<bool> LostRunners::LackedMemory(const Loss& loss) const {
  const auto known = ends_->find(loss.node);
  if (known == ends_->end()) return std::nullopt;
  const ContainerEnd* first = nullptr;
  for (const ContainerEnd& end : known->second) {
    if (end.at_seconds < loss.failed.ran->began) continue;
    if (first == nullptr || end.at_seconds < first->at_seconds) first = &end;
  }
  if (first == nullptr) return std::nullopt;
  return first->out_of_memory && first->at_seconds - loss.failed.ran->ended <= kLatenessSeconds;
}

std::vector<LostRunners::Loss> LostRunners::TakeDecided(Instant now) {
  std::vector<Loss> decided;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const std::optional<bool> lacked_memory = LackedMemory(it->second);
    if (!lacked_memory && it->first > now) {
      ++it;
      continue;
    }
    if (lacked_memory.value_or(false)) it->second.failed.cause = model::FailureCause::kOutOfMemory;
    decided.push_back(std::move(it->second));
    it = waiting_.erase(it);
  }
  return decided;
}

}  // namespace evenkeel::engine
