#include "cli/kubectl/boards_view.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/human_text.h"
#include "cli/kubectl/job_object.h"
#include "cli/kubectl/object_places.h"
#include "cluster/node_and_pod_json.h"
#include "cluster/weighted_job_json.h"
#include "cluster/worker_size.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBoardName = 253;

struct Worker {
  std::string namespace_name;
  std::string job;
  std::int64_t slots = 0;  ///< 0: not known
  cluster::Resources requests;
  std::string state;  ///< Running, Starting, Ending or Pending: without room
};

struct Board {
  std::string state = "Unknown";  ///< or Ready, NotReady, Cordoned
  std::optional<cluster::Resources> allocatable;
  std::vector<Worker> workers;
};

using Boards = std::map<std::string, Board>;

/// The number after --threads among the arguments of a worker's containers.
std::int64_t SlotsOf(const json& pod) {
  for (const json& container : ListAt(pod, "/spec/containers")) {
    const json& words = ListAt(container, "/args");
    const auto flag = std::find(words.begin(), words.end(), "--threads");
    if (flag == words.end() || std::next(flag) == words.end()) continue;
    const json& number = *std::next(flag);
    if (!number.is_string()) continue;
    const std::string& text = number.get_ref<const std::string&>();
    const bool digits =
        !text.empty() && text.size() < 6 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) return std::stoll(text);
  }
  return 0;
}

std::string StateOf(const cluster::PodView& pod) {
  if (pod.deleted) return "Ending";
  if (pod.node.empty() && pod.unscheduled) return "Pending";
  return pod.ready ? "Running" : "Starting";
}

void AddWorkers(const json& pods, Boards& boards) {
  for (const json& object : ListAt(pods, "/items")) {
    const cluster::PodView pod = cluster::ReadPod(object);
    const std::string& node = pod.node.empty() ? pod.target_node : pod.node;
    if (pod.role != cluster::PodRole::kWorker || pod.Ended() || node.empty()) continue;
    boards[Printable(node, kMaxBoardName)].workers.push_back(
        {Printable(TextAt(object, "/metadata/namespace"), kMaxBoardName),
         Printable(pod.job, kMaxBoardName), SlotsOf(object), pod.requests, StateOf(pod)});
  }
}

void AddNodes(const json& nodes, Boards& boards) {
  for (const json& object : ListAt(nodes, "/items")) {
    const cluster::NodeView node = cluster::ReadNode(object);
    Board& board = boards[Printable(node.Name(), kMaxBoardName)];
    board.state = !node.ready ? "NotReady" : node.unschedulable ? "Cordoned" : "Ready";
    board.allocatable = node.allocatable;
  }
}

json WorkerJson(const Worker& worker) {
  return {{"namespace", worker.namespace_name},
          {"job", worker.job},
          {"slots", worker.slots},
          {"cpu", worker.requests.cpu_millicores},
          {"memory", worker.requests.memory_bytes},
          {"state", worker.state}};
}

json BoardJson(const std::string& name, Board& board) {
  std::sort(board.workers.begin(), board.workers.end(), [](const Worker& a, const Worker& b) {
    return std::tie(a.namespace_name, a.job) < std::tie(b.namespace_name, b.job);
  });
  std::int64_t requested = 0;
  json workers = json::array();
  for (const Worker& worker : board.workers) {
    if (worker.state != "Pending") requested += worker.requests.cpu_millicores;
    if (workers.size() < kMaxWorkersOfBoard) workers.push_back(WorkerJson(worker));
  }
  const auto& has = board.allocatable;
  return {{"name", name},
          {"state", board.state},
          {"cpu", has ? json(has->cpu_millicores) : json()},
          {"memory", has ? json(has->memory_bytes) : json()},
          {"requestedCpu", requested},
          {"workers", std::move(workers)},
          {"workerCount", board.workers.size()}};
}

json BoardRows(Boards& boards) {
  json rows = json::array();
  for (const bool with_workers : {true, false}) {
    for (auto& [name, board] : boards) {
      if (board.workers.empty() == with_workers || rows.size() == kMaxBoardRows) continue;
      rows.push_back(BoardJson(name, board));
    }
  }
  return rows;
}

/// A job and what the page says of it.
struct JobRow {
  JobObject job;
  std::string waits;  ///< why it does not run, or not on all boards; empty if it does
  std::string tone;   ///< runs, waits, suspended, over or failed
  cluster::Resources requests;
  std::string priority_class;
};

JobRow ReadJobRow(const json& object) {
  // Written by the operator; see plan::DescribeMissingRoom().
  static const std::string kRuns = "workers run";
  JobRow row{ReadJobObject(object), {}, "runs", {}, {}};
  const cluster::WeightedJob job = cluster::ReadWeightedJob(object);
  row.requests = cluster::WorkerRequests(job);
  row.priority_class = Printable(job.worker.priority_class_name, kMaxBoardName);
  const JobCondition* why = row.job.Find(row.job.Is("Failed") ? "Failed" : "Progressing");
  if (row.job.IsOver()) {
    row.tone = row.job.Is("Failed") ? "failed" : "over";
    if (row.tone == "failed" && why != nullptr) row.waits = why->message;
  } else if (row.job.Is("Suspended")) {
    row.tone = "suspended";
  } else if (why == nullptr) {
    row.tone = "waits";
    row.waits = "the operator has not seen the job yet";
  } else if (why->status != "True") {
    row.tone = "waits";
    row.waits = why->message.empty() ? why->reason : why->message;
  } else if (why->message.starts_with(kRuns) && why->message != kRuns) {
    // Boards that are too small for a task are not waited for.
    if (!why->message.starts_with(kRuns + "; left out")) row.tone = "waits";
    row.waits = why->message.starts_with(kRuns + "; ") ? why->message.substr(kRuns.size() + 2)
                                                       : why->message;
  }
  return row;
}

/// The order of rows: running jobs by age, then ended jobs, the latest end first.
bool ComesBefore(const JobRow& a, const JobRow& b) {
  const auto key = [](const JobRow& row) {
    const double time = row.job.IsOver()
                            ? -row.job.completion.value_or(0)
                            : row.job.created.value_or(std::numeric_limits<double>::max());
    return std::tuple(row.job.IsOver(), time, row.job.name_space, row.job.name);
  };
  return key(a) < key(b);
}

json JobJson(const JobRow& row, std::int64_t workers, double now) {
  const JobObject& job = row.job;
  const bool has_eta = !job.IsOver() && job.estimated_completion;
  return {{"namespace", job.name_space},
          {"name", job.name},
          {"state", job.State()},
          {"tone", row.tone},
          {"waits", row.waits},
          {"progress", job.progress},
          {"completed", job.tasks_completed},
          {"total", job.tasks_total},
          {"etaSeconds", has_eta ? json(std::max(*job.estimated_completion - now, 0.0)) : json()},
          {"workers", workers},
          {"cpu", row.requests.cpu_millicores},
          {"memory", row.requests.memory_bytes},
          {"priorityClass", row.priority_class}};
}

/// Workers that run, by namespace and name of the job.
std::map<std::pair<std::string, std::string>, std::int64_t> CountWorkers(const Boards& boards) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for (const auto& [name, board] : boards) {
    for (const Worker& worker : board.workers) {
      if (worker.state == "Running") ++counts[{worker.namespace_name, worker.job}];
    }
  }
  return counts;
}

json Notes(const ClusterLists& lists, const JobScope& scope, std::size_t jobs, std::size_t boards) {
  json notes = json::array();
  const auto add = [&notes](std::string text) { notes.push_back(std::move(text)); };
  if (!lists.pods) add("Workers cannot be listed: " + lists.pods.error().message);
  if (!lists.nodes) {
    add("Only boards with workers are shown, without cores and memory, as nodes cannot be "
        "listed: " +
        lists.nodes.error().message);
  }
  if (!scope.all_namespaces) {
    add("Jobs of other namespaces may use the same boards; kubectl evenkeel ui -A shows them too.");
  }
  const auto cut = [&add](std::size_t count, const std::string& what) {
    if (count <= kMaxBoardRows) return;
    add(HumanCount(kMaxBoardRows) + " of " + HumanCount(static_cast<std::int64_t>(count)) + what);
  };
  cut(jobs, " jobs are shown; jobs that are over are left out first.");
  cut(boards, " boards are shown; boards without workers are left out first.");
  return notes;
}

}  // namespace

json BoardsData(const ClusterLists& lists, const JobScope& scope, double now) {
  Boards boards;
  if (lists.pods) AddWorkers(*lists.pods, boards);
  if (lists.nodes) AddNodes(*lists.nodes, boards);
  std::vector<JobRow> jobs;
  for (const json& object : ListAt(lists.jobs, "/items")) jobs.push_back(ReadJobRow(object));
  std::sort(jobs.begin(), jobs.end(), ComesBefore);
  const auto workers = CountWorkers(boards);
  json job_rows = json::array();
  for (const JobRow& row : jobs) {
    if (job_rows.size() == kMaxBoardRows) break;
    const auto count = workers.find({row.job.name_space, row.job.name});
    job_rows.push_back(JobJson(row, count == workers.end() ? 0 : count->second, now));
  }
  return {{"namespace", scope.all_namespaces ? std::string() : scope.namespace_name},
          {"allNamespaces", scope.all_namespaces},
          {"notes", Notes(lists, scope, jobs.size(), boards.size())},
          {"jobs", std::move(job_rows)},
          {"jobsTotal", jobs.size()},
          {"boards", BoardRows(boards)},
          {"boardsTotal", boards.size()}};
}

}  // namespace evenkeel::cli
