#include "operator/plan/status_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "operator/api/names.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

constexpr std::size_t kMaxIndexBytes = 1024;
constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::int64_t kMaxWeight = 1'000'000;

std::string Percent(const api::Progress& report) {
  const bool complete = report.state == api::CoordinatorState::kComplete;
  // Rounded down, and never 100 % before the end.
  const int percent = complete ? 100 : std::min(99, static_cast<int>(report.fraction * 100 + 1e-9));
  return std::to_string(percent) + "%";
}

/// Estimates tremble; a change below a fiftieth of what is left tells nobody anything.
std::optional<api::Timestamp> Eta(const Draft& draft, const api::Progress& report) {
  if (!report.eta || report.state != api::CoordinatorState::kRunning) return std::nullopt;
  const Duration age = draft.Seen().report->age;
  const api::Timestamp eta = api::WholeSeconds(draft.Now() - age + *report.eta);
  const auto& known = draft.Status().estimated_completion_time;
  if (!known) return eta;
  const Duration change = eta > *known ? eta - *known : *known - eta;
  const Duration tolerated = std::max<Duration>(std::chrono::seconds(2), *report.eta / 50);
  return change <= tolerated ? *known : eta;
}

std::string StateOf(const api::PodView& pod) {
  if (pod.phase == api::PodPhase::kSucceeded) return "Done";
  if (pod.phase == api::PodPhase::kFailed) return "Failed";
  if (pod.ready) return "Running";
  return pod.unscheduled ? "Pending" : "Starting";
}

std::int64_t Count(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, kMaxCount); }

class Rows {
 public:
  explicit Rows(const Draft& draft) : weighting_(draft.Job().spec.weighting) {
    for (const api::WorkerRow& row : draft.Status().workers) known_[row.node] = row;
    const auto& plan = draft.Seen().plan;
    if (!plan) return;
    for (const auto* list : {&plan->nodes, &plan->joined}) {
      for (const api::PlannedNode& node : *list) {
        planned_[node.name] = &node;
        weights_[node.name] = node.weight;
      }
    }
  }

  void Take(const api::PodView& pod, bool reported) {
    if (pod.target_node.empty()) return;
    // A coordinator that took over may go by a later weight than the pod was made with.
    const auto planned = planned_.find(pod.target_node);
    const bool later = planned != planned_.end() && planned->second->parts;
    if (!later) weights_[pod.target_node] = pod.weight;
    // What the coordinator says of a worker is closer to the truth than its pod's phase.
    if (!reported || !said_.contains(pod.target_node)) At(pod.target_node).state = StateOf(pod);
  }

  void Take(const api::WorkerProgress& worker) {
    if (worker.node.empty()) return;
    const auto known = weights_.find(worker.node);
    const bool weighed = known != weights_.end();
    api::WorkerRow& row = At(worker.node);
    if (!weighed) row.weight = static_cast<std::int64_t>(std::ceil(worker.ratio));
    row.share = Count(worker.share);
    row.completed = Count(worker.completed);
    row.stolen = Count(worker.stolen);
    row.state = worker.state;
    said_[worker.node] = true;
  }

  [[nodiscard]] std::vector<api::WorkerRow> HeaviestFirst() const {
    std::vector<api::WorkerRow> rows;
    for (auto [node, row] : rows_) {
      const auto weight = weights_.find(node);
      if (weight != weights_.end()) row.weight = weight->second;
      row.weight = std::clamp<std::int64_t>(row.weight, 1, kMaxWeight);
      const auto planned = planned_.find(node);
      row.weight_source =
          WeightSource(weighting_, planned == planned_.end() ? nullptr : planned->second);
      rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.node < b.node;
    });
    if (rows.size() > api::kMaxWorkerRows) rows.resize(api::kMaxWorkerRows);
    return rows;
  }

 private:
  /// Figures that are known of a node stay while nobody says others.
  api::WorkerRow& At(const std::string& node) {
    const auto [row, is_new] = rows_.try_emplace(node);
    if (is_new) row->second = known_[node];
    row->second.node = node;
    return row->second;
  }

  const model::WeightingSpec& weighting_;
  std::map<std::string, const api::PlannedNode*> planned_;
  std::map<std::string, api::WorkerRow> known_;
  std::map<std::string, api::WorkerRow> rows_;
  std::map<std::string, std::int64_t> weights_;
  std::map<std::string, bool> said_;
};

std::int32_t ActiveWorkers(const Draft& draft, const api::Progress* report) {
  const auto& pods = draft.Workers();
  auto active = std::count_if(pods.begin(), pods.end(),
                              [](const auto* pod) { return pod->ready && !pod->Ended(); });
  if (report != nullptr && report->workers.size() < api::kMaxWorkerRows) {
    active = std::count_if(report->workers.begin(), report->workers.end(),
                           [](const auto& worker) { return worker.connected; });
  }
  return static_cast<std::int32_t>(active);
}

std::string Location(const Draft& draft) {
  const api::ObjectMeta& job = draft.Job().meta;
  if (draft.HasClaim()) {
    return "persistentvolumeclaim/" + draft.Job().result_claim + ", folder " +
           api::ClaimFolder(job.name, job.uid);
  }
  return "kubectl evenkeel results " + job.name + " -n " + job.job_namespace;
}

void ReportCoordinator(Draft& draft, const api::Progress& report) {
  api::JobStatus& status = draft.Status();
  status.tasks = {Count(report.tasks.total), Count(report.tasks.completed),
                  Count(report.tasks.failed)};
  status.progress = Percent(report);
  status.failed_indexes = CappedIndexes(report.failed_indexes, report.tasks.failed, kMaxIndexBytes);
  if (report.state == api::CoordinatorState::kComplete) {
    status.result = {report.result, Location(draft)};  // which may be too long to be shown here
  }
}

}  // namespace

void ReportFigures(Draft& draft) {
  const api::Progress* report = draft.Report();
  api::JobStatus& status = draft.Status();
  if (report != nullptr) ReportCoordinator(draft, *report);
  if (api::IsTrue(status.conditions, api::condition_type::kSuspended)) {
    status.workers.clear();
    status.active_workers = 0;
    status.estimated_completion_time.reset();
    return;
  }

  Rows rows(draft);
  if (report != nullptr) {
    for (const api::WorkerProgress& worker : report->workers) rows.Take(worker);
  }
  for (const api::PodView* pod : draft.Workers()) rows.Take(*pod, report != nullptr);
  status.workers = rows.HeaviestFirst();
  status.active_workers = draft.Finished() ? 0 : ActiveWorkers(draft, report);
  const bool runs = api::IsTrue(status.conditions, api::condition_type::kProgressing);
  if (!runs) {
    status.estimated_completion_time.reset();
  } else if (report != nullptr) {
    status.estimated_completion_time = Eta(draft, *report);
  }
}

std::string CappedIndexes(const std::string& ranges, std::int64_t count, std::size_t max_bytes) {
  const bool cut_already = ranges.ends_with("...");
  if (ranges.size() <= max_bytes && !cut_already) return ranges;
  const std::string note = "... (" + std::to_string(count) + " in all)";
  std::string text = cut_already ? ranges.substr(0, ranges.size() - 3) : ranges;
  if (text.size() + note.size() > max_bytes) {
    const std::size_t room = max_bytes > note.size() ? max_bytes - note.size() : 0;
    const std::size_t comma = room == 0 ? std::string::npos : text.rfind(',', room - 1);
    text.resize(comma == std::string::npos ? 0 : comma + 1);
  }
  return text + note;
}

}  // namespace evenkeel::plan
