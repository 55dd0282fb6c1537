#include "core/engine/retry_policy.h"

#include <algorithm>
#include <iterator>

namespace evenkeel::engine {

using model::TaskIndex;
using Action = model::ExitCodeRule::Action;

namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(60);

}  // namespace

RetryPolicy::Verdict RetryPolicy::CountFailure(TaskIndex index, const std::string& node,
                                               std::optional<std::int32_t> exit_code,
                                               bool out_of_memory) {
  History& history = histories_[index];
  std::erase(history.nodes, node);
  history.nodes.push_back(node);
  const Action action = policy_.ActionOn(exit_code);
  if (out_of_memory && (action == Action::kCount || action == Action::kIgnore)) {
    ++history.out_of_memory;
    if (history.out_of_memory == 1) return Verdict::kRetryAlone;
    return history.out_of_memory == 2 ? Verdict::kRetryWithMostMemory : Verdict::kTaskFailed;
  }
  ++(action == Action::kIgnore ? history.ignored : history.charged);
  if (action == Action::kFailJob) return Verdict::kJobFailed;
  const bool failed = action == Action::kFailTask || history.ignored > kMaxIgnored ||
                      history.charged > policy_.backoff_limit_per_task;
  return failed ? Verdict::kTaskFailed : Verdict::kRetry;
}

std::int32_t RetryPolicy::Failures(TaskIndex index) const {
  const auto known = histories_.find(index);
  if (known == histories_.end()) return 0;
  return known->second.charged + known->second.ignored + known->second.out_of_memory;
}

const std::vector<std::string>& RetryPolicy::NodesOf(TaskIndex index) const {
  static const std::vector<std::string> kNone;
  const auto known = histories_.find(index);
  return known == histories_.end() ? kNone : known->second.nodes;
}

bool RetryPolicy::FailedOn(TaskIndex index, const std::string& node) const {
  const auto& nodes = NodesOf(index);
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool RetryPolicy::FailedLastOn(TaskIndex index, const std::string& node) const {
  const auto& nodes = NodesOf(index);
  return !nodes.empty() && nodes.back() == node;
}

void RetryPolicy::RetryLater(TaskIndex index, Instant now) {
  Duration pause = kFirstPause;
  const std::int32_t failures = Failures(index);
  for (std::int32_t n = 1; n < failures && pause < kLongestPause; ++n) pause *= 2;
  pausing_.emplace(now + std::min(pause, kLongestPause), index);
  waiting_.insert(index);
}

void RetryPolicy::RetryNow(TaskIndex index) {
  placeable_.insert(index);
  due_.push_back(index);
}

bool RetryPolicy::Withdraw(TaskIndex index) { return placeable_.erase(index) > 0; }

void RetryPolicy::Forget(model::IndexRange range) {
  auto it = histories_.lower_bound(range.begin);
  while (it != histories_.end() && it->first < range.end) {
    waiting_.erase(it->first);
    placeable_.erase(it->first);
    it = histories_.erase(it);
  }
}

void RetryPolicy::Update(Instant now) {
  while (!pausing_.empty() && pausing_.begin()->first <= now) {
    const TaskIndex index = pausing_.begin()->second;
    pausing_.erase(pausing_.begin());
    if (waiting_.erase(index) > 0) RetryNow(index);
  }
}

Instant RetryPolicy::NextDue() const { return pausing_.empty() ? kNever : pausing_.begin()->first; }

std::optional<TaskIndex> RetryPolicy::TakeFrom(std::deque<TaskIndex>& queue) {
  while (!queue.empty()) {
    const TaskIndex index = queue.front();
    queue.pop_front();
    if (placeable_.erase(index) > 0) return index;
  }
  return std::nullopt;
}

std::optional<TaskIndex> RetryPolicy::TakeDue() { return TakeFrom(due_); }

std::optional<TaskIndex> RetryPolicy::TakeParked() { return TakeFrom(parked_); }

void RetryPolicy::Park(TaskIndex index) {
  placeable_.insert(index);
  parked_.push_back(index);
}

void RetryPolicy::UnparkAll() {
  due_.insert(due_.end(), parked_.begin(), parked_.end());
  parked_.clear();
}

}  // namespace evenkeel::engine
