#include "core/engine/pending_recalls.h"

namespace evenkeel::engine {

using scheduling::WorkerId;

RecallId PendingRecalls::Add(WorkerId worker, std::optional<WorkerId> thief, Instant now) {
  const RecallId id = NextId();
  recalls_[worker] = {id, thief};
  since_.Renew(worker, now);
  return id;
}

std::optional<PendingRecalls::Answered> PendingRecalls::TakeAnswered(WorkerId worker, RecallId id) {
  const auto recall = recalls_.find(worker);
  if (recall == recalls_.end() || recall->second.id != id) return std::nullopt;
  const Answered answered{recall->second.thief};
  Remove(worker);
  return answered;
}

void PendingRecalls::Remove(WorkerId worker) {
  recalls_.erase(worker);
  since_.Remove(worker);
}

std::vector<WorkerId> PendingRecalls::TakeExpired(Instant now) {
  std::vector<WorkerId> expired;
  while (NextExpiry() <= now) {
    for (const WorkerId worker : since_.AllOldest()) {
      Remove(worker);
      expired.push_back(worker);
    }
  }
  return expired;
}

Instant PendingRecalls::NextExpiry() const {
  const auto oldest = since_.Oldest();
  return oldest ? *oldest + kTimeout : kNever;
}

}  // namespace evenkeel::engine
