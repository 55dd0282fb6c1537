#include "coordinator/service/job_status.h"

#include <algorithm>

#include "report/summary_json.h"

namespace evenkeel::coordinator {
namespace {

WorkerState StateOf(const engine::NodeProgress& node) {
  if (node.lost) return WorkerState::kLost;
  return node.connected && node.leased > 0 ? WorkerState::kRunning : WorkerState::kWaiting;
}

void HeaviestFirst(std::vector<WorkerStatus>& workers) {
  std::stable_sort(workers.begin(), workers.end(),
                   [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
}

/// A summary does not tell the cost of what a node has done; without it busy time says nothing.
void KeepWork(const std::vector<WorkerStatus>& before, WorkerStatus& row) {
  const auto same = std::find_if(before.begin(), before.end(),
                                 [&row](const auto& other) { return other.name == row.name; });
  const WorkerStatus& work = same == before.end() ? WorkerStatus{} : *same;
  row.cost = work.cost;
  row.busy_seconds = work.busy_seconds;
  row.threads = work.threads;
}

}  // namespace

std::string StateText(const JobStatus& status) {
  return status.blocked ? "Blocked" : std::string(report::StateName(status.state));
}

LiveState LiveStateOf(const std::string& job, const JobStatus& status) {
  return {job, StateText(status), status.reason, status.state != model::JobState::kRunning};
}

void Apply(const engine::Progress& progress, const WorkByNode& earlier, JobStatus& status) {
  status.tasks_total = progress.tasks_total;
  status.tasks_completed = progress.tasks_completed;
  status.tasks_failed = progress.tasks_failed;
  status.failed_indexes = progress.failed_indexes;
  status.progress = progress.cost_done_ratio;
  status.eta_seconds = progress.eta ? std::optional(ToSeconds(*progress.eta)) : std::nullopt;
  status.eta_sigma_seconds = ToSeconds(progress.eta_sigma);
  status.active_seconds = ToSeconds(progress.elapsed);
  status.workers.clear();
  for (const auto& node : progress.nodes) {
    status.workers.push_back({node, node.connected, StateOf(node)});
  }
  model::AddEarlierAttempts(earlier, status.workers);
  for (std::size_t i = progress.nodes.size(); i < status.workers.size(); ++i) {
    status.workers[i].state = WorkerState::kLost;
  }
  HeaviestFirst(status.workers);
}

void Apply(const model::RunSummary& summary, JobStatus& status) {
  const bool complete = summary.state == model::JobState::kComplete;
  const bool over = complete || summary.state == model::JobState::kFailed;
  status.state = summary.state;
  status.blocked = false;
  status.reason = summary.reason;
  status.tasks_total = summary.tasks_total;
  status.tasks_completed = summary.tasks_completed;
  status.tasks_failed = summary.tasks_failed;
  status.failed_indexes = summary.failed_indexes;
  if (complete) status.progress = 1;
  status.eta_seconds = complete ? std::optional(0.0) : std::nullopt;
  status.eta_sigma_seconds = 0;
  status.active_seconds = std::max(status.active_seconds, summary.makespan_seconds);
  const std::vector<WorkerStatus> before = std::move(status.workers);
  status.workers.clear();
  for (const auto& node : summary.nodes) {
    status.workers.push_back({node, false, over ? WorkerState::kDone : WorkerState::kWaiting});
    status.workers.back().rate = node.mean_rate;
    KeepWork(before, status.workers.back());
  }
  HeaviestFirst(status.workers);
  status.result_json = complete ? summary.result_json : std::string();
}

}  // namespace evenkeel::coordinator
