#include "coordinator/run_results.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/model/run_figures.h"
#include "platform/text.h"
#include "report/chart_json.h"
#include "report/timeline.h"

namespace evenkeel::coordinator {
namespace {

constexpr std::size_t kMaxFiles = 1000;
constexpr std::array<std::string_view, 5> kOthers = {"summary.json", "timeline.jsonl",
                                                     "report.html", "metrics.prom", "run.json"};

bool EndsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

bool IsResult(const std::string& name) {
  const bool unfinished = EndsWith(name, ".tmp") || EndsWith(name, ".partial");
  return !unfinished && name.front() != '.' && name.rfind("journal.db", 0) != 0 &&
         std::find(kOthers.begin(), kOthers.end(), name) == kOthers.end();
}

std::vector<std::string> RegularFiles(const std::filesystem::path& folder,
                                      bool (*is_wanted)(const std::string& name)) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator() && names.size() < kMaxFiles;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code unknown;
    const bool regular =
        entry->symlink_status(unknown).type() == std::filesystem::file_type::regular;
    if (regular && is_wanted(name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<std::string> WriteResults(const JournalReader& journal, const workloads::Workload& workload,
                                 const std::filesystem::path& folder) {
  const auto reducer = workload.MakeReducer();
  if (auto begun = reducer->Begin(folder); !begun) return tl::unexpected<Error>(begun.error());
  const auto read = journal.ForEachResult([&](const model::ResultRecord& record) {
    return reducer->Add(record.range, record.results);
  });
  if (!read) return tl::unexpected<Error>(read.error());
  const auto failed = journal.ForEachFinalFailure([&](const model::FailureRecord& failure) {
    return reducer->AddFailed(failure.index, {failure.reason, failure.exit_code, failure.record});
  });
  if (!failed) return tl::unexpected<Error>(failed.error());
  auto result = reducer->Finish(folder);
  if (!result) return result;
  const auto drawn = report::WriteCharts(folder, reducer->Charts());
  if (!drawn) return tl::unexpected<Error>(drawn.error());
  return result;
}

Result<void> WriteTimeline(const JournalReader& journal, const std::filesystem::path& folder) {
  auto writer = report::TimelineWriter::Create(folder / "timeline.jsonl");
  if (!writer) return tl::unexpected<Error>(writer.error());
  const auto results = journal.ForEachRange(
      [&](const model::ResultRecord& record) { return writer->Write(record); });
  if (!results) return results;
  const auto events =
      journal.ForEachEvent([&](const model::TimelineEvent& event) { return writer->Write(event); });
  if (!events) return events;
  return writer->Commit();
}

model::RunSummary Summarize(const model::JobSpec& job, const RunEnd& end, std::uint64_t epoch) {
  const engine::Progress& progress = end.progress;
  model::RunSummary summary;
  summary.job = job.name;
  summary.workload = job.workload;
  summary.state = end.state;
  summary.reason = end.reason;
  summary.cause = end.cause;
  summary.strategy = model::ToString(job.balancing.strategy);
  summary.tasks_total = progress.tasks_total;
  summary.tasks_completed = progress.tasks_completed;
  summary.tasks_failed = progress.tasks_failed;
  summary.failed_indexes = progress.failed_indexes;
  summary.verification = progress.verification;
  summary.failed_attempts = progress.failed_attempts;
  summary.alone = progress.alone;
  summary.makespan_seconds = ToSeconds(progress.last_durable);
  summary.startup_seconds = ToSeconds(progress.startup);
  summary.wasted_seconds = progress.wasted_seconds;
  summary.messages = progress.messages;
  summary.moves = progress.moves;
  summary.bytes_sent = static_cast<std::int64_t>(end.traffic.bytes_sent);
  summary.bytes_received = static_cast<std::int64_t>(end.traffic.bytes_received);
  summary.lease_seconds = ToSeconds(job.balancing.lease);
  summary.epoch = epoch;
  for (const auto& node : progress.nodes) {
    summary.nodes.push_back({node, {}, {}, {}});
  }
  return summary;
}

Result<WorkByNode> ReadEarlierWork(const Journal& journal, const model::CostModel& costs) {
  WorkByNode earlier;
  if (journal.State().completed.Size() == 0) return earlier;
  const auto read = journal.ForEachRange([&](const model::ResultRecord& record) -> Result<void> {
    model::NodeStatistics& node = earlier[record.node];
    node.completed += record.range.Size();
    node.cost += costs.Of(record.range);
    node.busy_seconds += ToSeconds(record.busy);
    node.last_end = std::max(node.last_end, record.ended);
    return {};
  });
  if (!read) return tl::unexpected<Error>(read.error());
  return earlier;
}

void FillRatios(model::RunSummary& summary) {
  // The bound is that of the whole job: part of it may well take less time.
  if (summary.state == model::JobState::kComplete && summary.reason != model::kSuccessPolicyMet) {
    summary.efficiency = model::Efficiency(summary.lower_bound_seconds, summary.makespan_seconds);
  }
  std::vector<double> finish_seconds;
  for (const auto& node : summary.nodes) finish_seconds.push_back(ToSeconds(node.last_end));
  summary.load_imbalance_percent = model::LoadImbalancePercent(finish_seconds);
}

std::vector<std::string> ResultFiles(const std::filesystem::path& folder) {
  std::vector<std::string> names = RegularFiles(folder, IsResult);
  // The user's command chooses these names.
  const auto is_plain = [](const std::string& name) { return platform::IsPlainFileName(name); };
  const std::vector<std::string> reduced = RegularFiles(folder / kReduceFolder, is_plain);
  for (const std::string& name : reduced) {
    if (names.size() < kMaxFiles) names.push_back(std::string(kReduceFolder) + "/" + name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace evenkeel::coordinator
