#include "coordinator/service/job_status.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/summary_json.h"
#include "report/verification_json.h"

namespace evenkeel::coordinator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxWorkers = 64;
constexpr std::size_t kMaxWork = 1024;

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

const char* Name(WorkerState state) {
  switch (state) {
    case WorkerState::kRunning:
      return "Running";
    case WorkerState::kWaiting:
      return "Waiting";
    case WorkerState::kLost:
      return "Lost";
    case WorkerState::kDone:
      break;
  }
  return "Done";
}

Json WorkerJson(const WorkerStatus& worker, std::int64_t tasks_total) {
  Json row = {{"node", worker.name}};
  if (worker.ratio > 0) row["ratio"] = worker.ratio;
  row["connected"] = worker.connected;
  row["share"] = std::llround(worker.share * static_cast<double>(tasks_total));
  row["completed"] = worker.completed;
  row["stolen"] = worker.stolen_in;
  if (worker.rate > 0) row["rate"] = worker.rate;
  row["state"] = Name(worker.state);
  return row;
}

/// The work of each node, including nodes that the list of workers leaves out.
Json WorkJson(const std::vector<WorkerStatus>& workers) {
  Json rows = Json::array();
  for (const auto& worker : workers) {
    if (rows.size() == kMaxWork) break;
    if (worker.busy_seconds <= 0) continue;
    rows.push_back({{"node", worker.name},
                    {"units", static_cast<double>(worker.cost)},
                    {"busySeconds", worker.busy_seconds},
                    {"threads", worker.threads}});
  }
  return rows;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
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
  status.verification = progress.verification;
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
  status.reduce_attempt = 0;
  status.reason = summary.reason;
  status.cause = summary.cause;
  status.tasks_total = summary.tasks_total;
  status.tasks_completed = summary.tasks_completed;
  status.tasks_failed = summary.tasks_failed;
  status.failed_indexes = summary.failed_indexes;
  status.verification = summary.verification;
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

std::string StatusJson(const JobStatus& status, const OperatorRequests& requests) {
  Json workers = Json::array();
  for (std::size_t i = 0; i < std::min(status.workers.size(), kMaxWorkers); ++i) {
    workers.push_back(WorkerJson(status.workers[i], status.tasks_total));
  }
  Json out = {{"epoch", status.epoch},
              {"state", StateText(status)},
              {"desiredState", requests.to_be_suspended ? "Suspended" : "Running"},
              {"containerEndsDigest", requests.container_ends_digest},
              {"reason", status.reason},
              {"cause", model::ToString(status.cause)},
              {"tasks",
               {{"total", status.tasks_total},
                {"completed", status.tasks_completed},
                {"failed", status.tasks_failed}}},
              {"progress", status.progress}};
  out["etaSeconds"] = status.eta_seconds ? Json(*status.eta_seconds) : Json();
  if (status.eta_seconds) out["etaSigmaSeconds"] = status.eta_sigma_seconds;
  out["activeSeconds"] = status.active_seconds;
  if (status.reduce_attempt > 0) out["reduceAttempt"] = status.reduce_attempt;
  out["failedIndexes"] = status.failed_indexes;
  if (status.verification) out["verification"] = report::VerificationToJson(*status.verification);
  out["workers"] = std::move(workers);
  out["workersTotal"] = status.workers.size();
  out["work"] = WorkJson(status.workers);
  if (!status.result_json.empty()) {
    out["result"] = Json::parse(status.result_json, nullptr, /*allow_exceptions=*/false);
  }
  out["resultFiles"] = status.result_files;
  out["resumedTasks"] = status.resumed_tasks;
  out["workloadDigest"] = status.workload_digest;
  return Dump(out);
}

std::string ReasonJson(std::string_view state, std::string_view reason) {
  return Dump({{"state", state}, {"reason", reason}});
}

std::string ListJson(const std::vector<std::string>& names) { return Dump(Json(names)); }

}  // namespace evenkeel::coordinator
