#include "cli/run_outcome.h"

#include <cstdio>
#include <ostream>

#include "coordinator/lower_bound.h"
#include "coordinator/run_metrics.h"
#include "report/html_report.h"
#include "report/summary_json.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kCalibration = std::chrono::milliseconds(300);

void FillBound(const RunPlan& plan, const engine::Progress& progress, model::RunSummary& summary) {
  const double core = plan.workload->DeclaredUnitsPerSecond() > 0
                          ? 0
                          : coordinator::CalibrateCore(*plan.workload, kCalibration);
  std::vector<coordinator::NodeSpeed> speeds;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const LocalNode& node = plan.nodes[i];
    speeds.push_back({node.threads, node.emulated_speed.value_or(1.0), progress.nodes[i].rate});
    summary.nodes[i].declared_speed = node.emulated_speed;
  }
  const auto bound = coordinator::ComputeLowerBound(*plan.workload, speeds, core);
  summary.lower_bound_seconds = bound.seconds;
  summary.rate_source = bound.rate_source;
  coordinator::FillRatios(summary);
}

Result<void> WriteReport(const std::filesystem::path& folder) {
  const auto page = report::WriteReport(folder);
  if (!page) return tl::unexpected<Error>(page.error());
  return {};
}

}  // namespace

// Results first: a summary that says Complete must not stand beside results that are missing.
Result<model::RunSummary> LeaveResults(const RunPlan& plan, coordinator::Journal& journal,
                                       const coordinator::RunEnd& end,
                                       const coordinator::WorkByNode& earlier,
                                       SpeedControl control) {
  auto summary = coordinator::Summarize(plan.job, end, journal.State().epoch);
  summary.speed_control = ToString(control);
  if (end.state == model::JobState::kComplete) {
    auto result = coordinator::WriteResults(journal, *plan.workload, plan.folder);
    if (!result) return tl::unexpected<Error>(result.error());
    summary.result_json = std::move(*result);
  }
  coordinator::AddEarlierWork(earlier, summary);
  FillBound(plan, end.progress, summary);
  const auto written =
      coordinator::WriteTimeline(journal, plan.folder)
          .and_then([&] { return report::WriteSummary(plan.folder / "summary.json", summary); })
          .and_then([&] { return WriteReport(plan.folder); })
          .and_then([&] { return coordinator::WriteMetrics(plan.job, journal, end, plan.folder); })
          .and_then([&] { return journal.MarkEnded(end.state); });
  if (!written) return tl::unexpected<Error>(written.error());
  return summary;
}

Result<model::RunSummary> RefreshResults(const RunPlan& plan, coordinator::Journal& journal) {
  auto summary = report::ReadSummary(plan.folder / "summary.json");
  if (!summary) return summary;
  if (summary->job != plan.job.name || summary->state != model::JobState::kComplete) {
    return InvalidInput("summary.json is not that of the complete job");
  }
  auto result = coordinator::WriteResults(journal, *plan.workload, plan.folder);
  if (!result) return tl::unexpected<Error>(result.error());
  summary->result_json = std::move(*result);
  const auto written =
      coordinator::WriteTimeline(journal, plan.folder)
          .and_then([&] { return report::WriteSummary(plan.folder / "summary.json", *summary); })
          .and_then([&] { return WriteReport(plan.folder); });
  if (!written) return tl::unexpected<Error>(written.error());
  return summary;
}

void PrintEnd(const RunPlan& plan, const model::RunSummary& summary, std::ostream& out) {
  char line[256];
  const std::string state(report::StateName(summary.state));
  if (summary.state == model::JobState::kComplete) {
    std::snprintf(line, sizeof line, "%s in %.2f s; lower bound %.2f s (%s), efficiency %.3f\n",
                  state.c_str(), summary.makespan_seconds, summary.lower_bound_seconds,
                  summary.rate_source.c_str(), summary.efficiency);
  } else {
    std::snprintf(line, sizeof line, "%s after %.2f s, %lld of %lld tasks are done\n",
                  state.c_str(), summary.makespan_seconds,
                  static_cast<long long>(summary.tasks_completed),
                  static_cast<long long>(summary.tasks_total));
  }
  out << summary.job << ": " << line;
  out << "moves: " << summary.moves.reserved << " reserved, " << summary.moves.leased << " leased, "
      << summary.moves.copies << " copies";
  if (summary.speed_control == "cgroup") out << "; speeds held by control groups";
  if (summary.speed_control == "duty-cycle") out << "; speeds held by pausing the workers";
  out << '\n';
  if (summary.state == model::JobState::kComplete) out << "result: " << summary.result_json << '\n';
  out << "report: " << (plan.folder / "report.html").string() << '\n';
}

}  // namespace evenkeel::cli
