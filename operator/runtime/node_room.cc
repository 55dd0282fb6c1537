#include "operator/runtime/node_room.h"

namespace evenkeel::operating {

void NodeRoom::Add(const PodRoom& pod) {
  if (!pod.Counts()) return;
  const std::scoped_lock lock(mutex_);
  api::Resources& sum = requested_[pod.node];
  sum = sum + pod.requests;
  shared_.reset();
}

void NodeRoom::Remove(const PodRoom& pod) {
  if (!pod.Counts()) return;
  const std::scoped_lock lock(mutex_);
  const auto found = requested_.find(pod.node);
  if (found == requested_.end()) return;
  found->second = found->second - pod.requests;
  if (found->second == api::Resources{}) requested_.erase(found);
  shared_.reset();
}

std::shared_ptr<const plan::Requests> NodeRoom::Requested() const {
  const std::scoped_lock lock(mutex_);
  if (!shared_) shared_ = std::make_shared<const plan::Requests>(requested_);
  return shared_;
}

}  // namespace evenkeel::operating
