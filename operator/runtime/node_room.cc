#include "operator/runtime/node_room.h"

namespace evenkeel::operating {

void NodeRoom::Add(const PodRoom& pod) {
  if (!pod.Counts()) return;
  const std::scoped_lock lock(mutex_);
  api::Resources& sum = requested_[pod.node];
  sum = sum + pod.requests;
}

void NodeRoom::Remove(const PodRoom& pod) {
  if (!pod.Counts()) return;
  const std::scoped_lock lock(mutex_);
  const auto found = requested_.find(pod.node);
  if (found == requested_.end()) return;
  found->second = found->second - pod.requests;
  if (found->second == api::Resources{}) requested_.erase(found);
}

std::map<std::string, api::Resources> NodeRoom::Requested() const {
  const std::scoped_lock lock(mutex_);
  return requested_;
}

}  // namespace evenkeel::operating
