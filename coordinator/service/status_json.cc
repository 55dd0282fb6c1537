#include "coordinator/service/status_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace evenkeel::coordinator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxWorkers = 64;
constexpr std::size_t kMaxWork = 1024;

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

/// What each node has done, for whoever adds it up: also of nodes beyond the list of workers.
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

std::string StatusJson(const JobStatus& status) {
  Json workers = Json::array();
  for (std::size_t i = 0; i < std::min(status.workers.size(), kMaxWorkers); ++i) {
    workers.push_back(WorkerJson(status.workers[i], status.tasks_total));
  }
  Json out = {{"epoch", status.epoch},
              {"state", StateText(status)},
              {"reason", status.reason},
              {"tasks",
               {{"total", status.tasks_total},
                {"completed", status.tasks_completed},
                {"failed", status.tasks_failed}}},
              {"progress", status.progress}};
  out["etaSeconds"] = status.eta_seconds ? Json(*status.eta_seconds) : Json();
  if (status.eta_seconds) out["etaSigmaSeconds"] = status.eta_sigma_seconds;
  out["activeSeconds"] = status.active_seconds;
  out["failedIndexes"] = status.failed_indexes;
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
