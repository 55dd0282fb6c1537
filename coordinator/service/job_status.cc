#include "coordinator/service/job_status.h"

#include <algorithm>
#include <cmath>

#include "report/summary_json.h"

namespace evenkeel::coordinator {
namespace {

std::int64_t ShareOf(double share, std::int64_t tasks) {
  return std::llround(share * static_cast<double>(tasks));
}

WorkerState StateOf(const engine::NodeProgress& node) {
  if (node.lost) return WorkerState::kLost;
  return node.connected && node.leased > 0 ? WorkerState::kRunning : WorkerState::kWaiting;
}

void HeaviestFirst(std::vector<WorkerStatus>& workers) {
  std::stable_sort(workers.begin(), workers.end(),
                   [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
}

/// What a summary does not tell of a node.
void KeepWork(const std::vector<WorkerStatus>& before, WorkerStatus& row) {
  const auto same = std::find_if(before.begin(), before.end(),
                                 [&row](const auto& other) { return other.node == row.node; });
  if (same == before.end()) return;
  row.units = same->units;
  row.busy_seconds = same->busy_seconds;
  row.threads = same->threads;
}

void AddEarlier(const NodeWork& work, WorkerStatus& row) {
  row.completed += work.completed;
  row.units += static_cast<double>(work.units);
  row.busy_seconds += work.busy_seconds;
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
  WorkByNode unseen = earlier;
  for (const auto& node : progress.nodes) {
    WorkerStatus row{
        node.name,      node.ratio,     node.connected, ShareOf(node.share, progress.tasks_total),
        node.completed, node.stolen_in, node.rate,      StateOf(node)};
    row.units = static_cast<double>(node.cost);
    row.busy_seconds = node.busy_seconds;
    row.threads = node.threads;
    if (const auto before = unseen.find(node.name); before != unseen.end()) {
      AddEarlier(before->second, row);
      unseen.erase(before);
    }
    status.workers.push_back(std::move(row));
  }
  for (const auto& [name, work] : unseen) {
    WorkerStatus row;
    row.node = name;
    AddEarlier(work, row);
    row.state = WorkerState::kLost;
    status.workers.push_back(std::move(row));
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
    status.workers.push_back(
        {node.name, node.ratio, false, ShareOf(node.share, summary.tasks_total), node.completed,
         node.stolen_in, node.rate, over ? WorkerState::kDone : WorkerState::kWaiting});
    KeepWork(before, status.workers.back());
  }
  HeaviestFirst(status.workers);
  status.result_json = complete ? summary.result_json : std::string();
}

}  // namespace evenkeel::coordinator
