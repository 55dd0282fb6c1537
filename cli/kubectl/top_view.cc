#include "cli/kubectl/top_view.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "cli/human_text.h"
#include "cli/kubectl/job_words.h"
#include "cli/node_rows.h"
#include "cli/text_table.h"

namespace evenkeel::cli {
namespace {

double DoneRatio(const JobObject& job) { return job.Is("Complete") ? 1.0 : job.progress; }

std::vector<std::string> ListRow(const JobObject& job, bool all_namespaces, double now) {
  constexpr int kBarColumns = 10;
  std::string eta = EtaOf(job, now);
  if (eta.starts_with("ETA ")) eta = eta.substr(4);
  return {all_namespaces ? job.name_space + "/" + job.name : job.name,
          job.State(),
          Bar(DoneRatio(job), kBarColumns) + Format(" %3.0f%%", DoneRatio(job) * 100),
          HumanCount(job.tasks_completed) + "/" + HumanCount(job.tasks_total),
          std::move(eta),
          std::to_string(job.workers.size()),
          job.created ? HumanAge(now - *job.created) : "-"};
}

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

std::vector<NodeRow> RowsOf(const JobObject& job) {
  std::vector<NodeRow> rows;
  for (const JobWorker& worker : job.workers) {
    rows.push_back({worker.node, worker.weight, worker.share, worker.completed, worker.stolen,
                    worker.rate, worker.state});
  }
  return rows;
}

/// Overwrites what the status says by what the coordinator does; its ratios are exact where the
/// weights of the status are whole numbers.
void Refresh(const model::RunSummary& live, std::vector<NodeRow>& rows) {
  for (const model::NodeSummary& node : live.nodes) {
    const auto known = std::find_if(rows.begin(), rows.end(),
                                    [&node](const NodeRow& row) { return row.name == node.name; });
    if (known == rows.end()) continue;
    known->weight = node.ratio;
    known->share = node.share;
    known->done = node.completed;
    known->stolen = node.stolen_in;
    known->rate = std::isfinite(node.mean_rate) ? node.mean_rate : 0;
  }
}

}  // namespace

std::vector<std::string> JobListLines(const std::vector<JobObject>& jobs, bool all_namespaces,
                                      double now, TerminalSize size) {
  TextTable table({"JOB", "STATE", "PROGRESS", "TASKS", "ETA", "WORKERS", "AGE"});
  constexpr int kOtherLines = 3;
  const auto room = static_cast<std::size_t>(std::max(size.rows - kOtherLines, 1));
  const std::size_t shown = std::min(jobs.size(), room);
  for (std::size_t i = 0; i < shown; ++i) table.AddRow(ListRow(jobs[i], all_namespaces, now));
  std::ostringstream text;
  table.Write(text);
  std::vector<std::string> lines = Split(text.str());
  if (jobs.empty()) lines = {"no jobs"};
  if (shown < jobs.size()) {
    lines.push_back("... and " + std::to_string(jobs.size() - shown) + " more jobs");
  }
  for (std::string& line : lines) line = Clipped(line, size.columns);
  return lines;
}

std::vector<std::string> JobTopLines(const JobObject& job,
                                     const std::optional<model::RunSummary>& live, double now,
                                     TerminalSize size) {
  JobHead head;
  head.name = job.name;
  head.done_ratio = DoneRatio(job);
  head.eta = job.IsRunning() || job.Is("Complete") ? EtaOf(job, now) : job.State();
  head.tasks_completed = job.tasks_completed;
  head.tasks_total = job.tasks_total;
  head.tasks_failed = job.tasks_failed;
  head.elapsed = ElapsedOf(job, now);
  std::vector<NodeRow> rows = RowsOf(job);
  if (live) {
    head.tasks_completed = std::max(head.tasks_completed, live->tasks_completed);
    Refresh(*live, rows);
  }
  std::vector<std::string> lines = JobLines(head, rows, size);
  const JobCondition* progressing = job.Find("Progressing");
  if (job.MayWaitForJobs() && progressing != nullptr) {
    constexpr int kLinesOfHead = 2;
    lines.insert(lines.begin() + kLinesOfHead, Clipped("  " + progressing->message, size.columns));
  }
  return lines;
}

}  // namespace evenkeel::cli
