#include "simulator/invariant_monitor.h"

#include <algorithm>

#include "core/base/check.h"

namespace evenkeel::simulator {

InvariantMonitor::InvariantMonitor(std::size_t tasks, std::size_t nodes)
    : runners_(tasks), stalled_(nodes) {}

void InvariantMonitor::OnRunBegan(std::size_t node, model::IndexRange batch) {
  for (model::TaskIndex i = batch.begin; i < batch.end; ++i) {
    if (RunsElsewhere(i, node)) ++violations_.side_by_side;
    runners_[static_cast<std::size_t>(i)].insert(node);
  }
}

void InvariantMonitor::OnRunEnded(std::size_t node, model::IndexRange batch) {
  for (model::TaskIndex i = batch.begin; i < batch.end; ++i) {
    auto& runners = runners_[static_cast<std::size_t>(i)];
    const auto one = runners.find(node);
    EVENKEEL_CHECK(one != runners.end(), "a run ended that never began");
    runners.erase(one);
  }
}

void InvariantMonitor::OnStalled(std::size_t node, bool stalled) {
  stalled_[node] = stalled;
  if (stalled) return;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    const bool runs = runners_[i].contains(node);
    if (runs && RunsElsewhere(static_cast<model::TaskIndex>(i), node)) ++violations_.side_by_side;
  }
}

bool InvariantMonitor::RunsElsewhere(model::TaskIndex task, std::size_t node) const {
  const auto& runners = runners_[static_cast<std::size_t>(task)];
  return std::any_of(runners.begin(), runners.end(),
                     [&](std::size_t other) { return other != node && !stalled_[other]; });
}

void InvariantMonitor::OnProgress(const engine::Progress& progress, std::uint64_t epoch) {
  const std::int64_t durable = progress.tasks_completed;
  if (epoch != epoch_) done_ratio_ = 0;  // results that were not durable are lost with the process
  if (progress.tasks_total > tasks_)
    done_ratio_ = 0;  // the same work is a smaller share of the job
  epoch_ = epoch;
  tasks_ = progress.tasks_total;
  if (durable < durable_ || progress.cost_done_ratio < done_ratio_) ++violations_.progress_losses;
  durable_ = durable;
  done_ratio_ = progress.cost_done_ratio;
}

void InvariantMonitor::OnFailureRecorded(model::TaskIndex task, const std::string& node) {
  failed_on_[task].insert(node);
}

void InvariantMonitor::OnRetryLeased(model::TaskIndex task, const std::string& node,
                                     const engine::Progress& progress) {
  const auto& failed_on = failed_on_[task];
  if (!failed_on.contains(node)) return;
  const bool others = std::any_of(
      progress.nodes.begin(), progress.nodes.end(),
      [&](const auto& other) { return other.connected && !failed_on.contains(other.name); });
  if (others) ++violations_.retried_in_place;
}

}  // namespace evenkeel::simulator
