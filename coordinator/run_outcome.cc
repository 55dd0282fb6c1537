#include "coordinator/run_outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "coordinator/lower_bound.h"
#include "core/metrics/job_metrics.h"
#include "core/model/job_parsing.h"
#include "core/model/task_description.h"
#include "core/scheduling/energy/accounting.h"
#include "platform/files.h"
#include "report/html_report.h"
#include "report/summary_json.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kCalibration = std::chrono::milliseconds(300);

void FillNodes(const engine::Progress& progress, model::RunSummary& summary) {
  const std::size_t known = std::min(progress.nodes.size(), summary.nodes.size());
  for (std::size_t i = 0; i < known; ++i) {
    const auto& node = progress.nodes[i];
    model::NodeSummary& row = summary.nodes[i];
    row.power = node.power;
    if (!node.power) continue;
    if (node.threads > 0) {
      row.joules = model::JoulesOf(*node.power, row.busy_seconds, node.threads,  //
                                   ToSeconds(row.last_end));
    } else if (row.busy_seconds <= 0) {
      row.joules = model::NodeJoules{};  // its worker never came
    }
  }
}

/// Adds the estimated energy to the rows of the nodes and to the summary, which has its makespan
/// and what earlier starts did. Nodes whose power or threads are not known, say because only an
/// earlier start had them, stay without, and the sum is partial if they did anything. Nothing if
/// the power of no node is known.
void FillEnergy(const OutcomeContext& context, const engine::Progress& progress,
                model::RunSummary& summary) {
  FillNodes(progress, summary);
  const model::BalancingSpec& balancing = context.version->spec().balancing;
  model::EnergySummary energy;
  bool any = false;
  for (const auto& node : summary.nodes) {
    if (node.joules) {
      any = true;
      energy.dynamic_joules += node.joules->dynamic;
      energy.idle_joules += node.joules->idle;
      energy.joules += scheduling::Counted(*node.joules, balancing.energy.idle_power);
    } else if (node.busy_seconds > 0) {
      energy.partial = true;
    }
  }
  if (!any) return;
  energy.standing_joules = balancing.energy.standing_watts * summary.makespan_seconds;
  energy.joules += energy.standing_joules;
  energy.idle_counted = balancing.energy.idle_power == model::IdlePower::kCounted;
  if (balancing.objective == model::Objective::kEnergy) {
    energy.time_factor = balancing.energy.time_factor;
  }
  for (const auto& node : context.left_out) energy.left_out.push_back(node.name);
  summary.energy = std::move(energy);
}

void FillBound(const OutcomeContext& context, const engine::Progress& progress,
               double units_per_core_second, model::RunSummary& summary) {
  std::vector<NodeSpeed> speeds;
  for (std::size_t i = 0; i < progress.nodes.size(); ++i) {
    const auto& node = progress.nodes[i];
    const NodeDeclaration declared = i < context.nodes.size()
                                         ? context.nodes[i]
                                         : NodeDeclaration{std::max(1U, node.threads), {}};
    speeds.push_back({declared.threads, declared.emulated_speed.value_or(1.0), node.mean_rate});
    summary.nodes[i].declared_speed = declared.emulated_speed;
  }
  for (const auto& [name, declared] : context.left_out) {
    if (declared) speeds.push_back({declared->threads, declared->emulated_speed.value_or(1.0), {}});
  }
  const auto bound = ComputeLowerBound(*context.version->workload(), speeds, units_per_core_second);
  summary.lower_bound_seconds = bound.seconds;
  summary.rate_source = bound.rate_source;
  FillRatios(summary);
}

double CoreRate(const OutcomeContext& context) {
  const bool needed =
      context.calibrate && context.version->workload()->DeclaredUnitsPerSecond() <= 0;
  return needed ? CalibrateCore(*context.version->workload(), kCalibration) : 0;
}

/// Adds the description of the tasks, the findings about their costs, and the slots of the nodes.
void FillTasks(const OutcomeContext& context, const engine::Progress& progress,
               model::RunSummary& summary) {
  summary.description = context.tasks;
  if (!context.tasks.cost_unit.empty()) summary.costs = progress.costs;
  if (!context.version->spec().task_resources.Any()) return;
  for (std::size_t i = 0; i < progress.nodes.size(); ++i) {
    summary.nodes[i].slots = {progress.nodes[i].threads,
                              i < context.nodes.size() ? context.nodes[i].slot_limit : ""};
  }
}

/// The result object with the end of the reduce command.
std::string WithReduce(std::string result_json, const std::optional<model::ReduceRecord>& reduce) {
  if (!reduce) return result_json;
  auto result = nlohmann::ordered_json::parse(result_json, nullptr, /*allow_exceptions=*/false);
  if (!result.is_object()) return result_json;
  nlohmann::ordered_json end{{"seconds", reduce->seconds}, {"attempts", reduce->attempts}};
  if (reduce->exit_code) end["exitCode"] = *reduce->exit_code;
  result["reduce"] = std::move(end);
  return result.dump();
}

Result<void> WriteReport(const std::filesystem::path& folder) {
  const auto page = report::WriteReport(folder);
  if (!page) return tl::unexpected<Error>(page.error());
  return {};
}

}  // namespace

model::TaskDescription DescribeTasks(const model::JobSpec& job) {
  nlohmann::json command;  // null unless the workload is a command
  if (job.workload == model::kCommandWorkload) {
    command = nlohmann::json::parse(job.workload_parameters, nullptr, /*allow_exceptions=*/false);
  }
  return model::DescribeTasks({command, model::Quantities(job.task_resources), job.profile});
}

model::RunSummary SumUp(const OutcomeContext& context, const RunEnd& end, const WorkByNode& earlier,
                        std::uint64_t epoch, double units_per_core_second) {
  auto summary = Summarize(context.version->spec(), end, epoch);
  summary.speed_control = context.speed_control;
  model::AddEarlierAttempts(earlier, summary.nodes);
  FillBound(context, end.progress, units_per_core_second, summary);
  FillEnergy(context, end.progress, summary);
  FillTasks(context, end.progress, summary);
  return summary;
}

// Results first: a summary that says Complete must not stand beside results that are missing.
Result<model::RunSummary> LeaveResults(const OutcomeContext& context, Journal& journal,
                                       const RunEnd& end, const WorkByNode& earlier) {
  std::string result_json;
  const bool partial =
      end.state == model::JobState::kFailed && context.version->workload()->ResultsOfFailedJobs();
  if (end.result_json) {
    result_json = *end.result_json;
  } else if (end.state == model::JobState::kComplete || partial) {
    auto result = WriteResults(journal, *context.version->workload(), context.folder);
    if (!result) return tl::unexpected<Error>(result.error());
    result_json = std::move(*result);
  }
  auto summary = SumUp(context, end, earlier, journal.State().epoch, CoreRate(context));
  if (!result_json.empty()) summary.result_json = WithReduce(std::move(result_json), end.reduce);
  summary.reduce = end.reduce;
  const auto written =
      WriteTimeline(journal, context.folder)
          .and_then([&] { return report::WriteSummary(context.folder / "summary.json", summary); })
          .and_then([&] { return WriteReport(context.folder); })
          .and_then(
              [&] { return WriteMetrics(context.version->spec(), journal, end, context.folder); })
          .and_then([&] { return journal.MarkEnded(end.state); });
  if (!written) return tl::unexpected<Error>(written.error());
  return summary;
}

Result<model::RunSummary> RefreshResults(const OutcomeContext& context, const Journal& journal) {
  auto summary = report::ReadSummary(context.folder / "summary.json");
  if (!summary) return summary;
  if (summary->job != context.version->spec().name ||
      summary->state != model::JobState::kComplete) {
    return InvalidInput("summary.json is not that of the complete job");
  }
  auto result = WriteResults(journal, *context.version->workload(), context.folder);
  if (!result) return tl::unexpected<Error>(result.error());
  summary->result_json = WithReduce(std::move(*result), summary->reduce);
  const auto written =
      WriteTimeline(journal, context.folder)
          .and_then([&] { return report::WriteSummary(context.folder / "summary.json", *summary); })
          .and_then([&] { return WriteReport(context.folder); });
  if (!written) return tl::unexpected<Error>(written.error());
  return summary;
}

Result<void> WriteMetrics(const model::JobSpec& job, const JournalReader& journal,
                          const RunEnd& end, const std::filesystem::path& folder) {
  // Outside of a cluster there are no namespaces.
  metrics::JobMetrics metrics(job.profile, "", job.name);
  metrics.Update(end.progress, {end.traffic.bytes_sent, end.traffic.bytes_received});
  const auto read = journal.ForEachRange([&](const model::ResultRecord& record) -> Result<void> {
    metrics.ObserveTasks(record.range.Size(), record.busy);
    return {};
  });
  if (!read) return read;
  return platform::WriteFileAtomically(folder / "metrics.prom", metrics.Text());
}

}  // namespace evenkeel::coordinator
