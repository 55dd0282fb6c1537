#include "core/engine/retry_book.h"

#include <algorithm>

namespace evenkeel::engine {

using model::TaskIndex;
using Action = model::ExitCodeRule::Action;

namespace {

constexpr std::size_t kMaxReasonShown = 200;

model::IndexRange One(TaskIndex index) { return {index, index + 1}; }

/// Reasons may quote a user's program.
std::string Shown(std::string_view reason) {
  std::string text(reason.substr(0, kMaxReasonShown));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

RetryBook::Fate RetryBook::CountFailure(TaskIndex index, const std::string& node,
                                        std::optional<std::int32_t> exit_code) {
  History& history = histories_[index];
  std::erase(history.nodes, node);
  history.nodes.push_back(node);
  open_.Insert(One(index));
  const Action action = policy_.ActionOn(exit_code);
  ++(action == Action::kIgnore ? history.ignored : history.charged);
  if (action == Action::kFailJob) return Fate::kFailsJob;
  const bool given_up = action == Action::kFailTask || history.ignored > kMaxIgnored ||
                        history.charged > policy_.backoff_limit_per_task;
  return given_up ? Fate::kGivenUp : Fate::kTryAgain;
}

std::int32_t RetryBook::Failures(TaskIndex index) const {
  const auto known = histories_.find(index);
  return known == histories_.end() ? 0 : known->second.charged + known->second.ignored;
}

bool RetryBook::FailedOn(TaskIndex index, const std::string& node) const {
  const auto known = histories_.find(index);
  if (known == histories_.end()) return false;
  const auto& nodes = known->second.nodes;
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool RetryBook::FailedLastOn(TaskIndex index, const std::string& node) const {
  const auto known = histories_.find(index);
  return known != histories_.end() && known->second.nodes.back() == node;
}

void RetryBook::GiveUp(TaskIndex index, const std::string& node, std::string_view reason) {
  if (example_given_up_.empty()) {
    example_given_up_ = "task " + std::to_string(index) + " on " + node + ": " + Shown(reason);
  }
  failed_.Insert(One(index));
  open_.Erase(One(index));
  histories_.erase(index);
}

void RetryBook::TryLater(TaskIndex index, Instant now) {
  const Duration longest = std::chrono::seconds(60);
  Duration pause = std::chrono::milliseconds(100);
  const std::int32_t failures = Failures(index);
  for (std::int32_t n = 1; n < failures && pause < longest; ++n) pause *= 2;
  pausing_.emplace(now + std::min(pause, longest), index);
  waiting_tasks_.Insert(One(index));
}

void RetryBook::Return(TaskIndex index) {
  waiting_tasks_.Insert(One(index));
  due_tasks_.Insert(One(index));
  due_.push_back(index);
}

bool RetryBook::Withdraw(TaskIndex index) {
  if (!due_tasks_.Contains(index)) return false;
  due_tasks_.Erase(One(index));
  waiting_tasks_.Erase(One(index));
  return true;
}

void RetryBook::Forget(model::IndexRange range) {
  waiting_tasks_.Erase(range);
  due_tasks_.Erase(range);
  for (const model::IndexRange part : open_.Within(range)) {
    for (TaskIndex i = part.begin; i < part.end; ++i) histories_.erase(i);
  }
  open_.Erase(range);
}

void RetryBook::Update(Instant now) {
  while (!pausing_.empty() && pausing_.begin()->first <= now) {
    const TaskIndex index = pausing_.begin()->second;
    pausing_.erase(pausing_.begin());
    if (waiting_tasks_.Contains(index)) Return(index);  // else it was completed in the meantime
  }
}

Instant RetryBook::NextDue() const { return pausing_.empty() ? kNever : pausing_.begin()->first; }

std::optional<TaskIndex> RetryBook::TakeDue() {
  while (!due_.empty()) {
    const TaskIndex index = due_.front();
    due_.pop_front();
    if (Withdraw(index)) return index;
  }
  return std::nullopt;
}

}  // namespace evenkeel::engine
