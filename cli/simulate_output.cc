#include "cli/simulate_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/human_text.h"
#include "cli/text_table.h"
#include "simulator/summary.h"

namespace evenkeel::cli {
namespace {

using nlohmann::ordered_json;
using simulator::Median;
using simulator::ScenarioRun;
using simulator::Summary;

std::string StateOf(const ScenarioRun& run) {
  if (run.state == model::JobState::kComplete) return "Complete";
  return run.state == model::JobState::kRunning ? "NeverEnded" : "Failed";
}

ordered_json ToJson(const ScenarioRun& run) {
  ordered_json stages = ordered_json::array();
  for (const auto& stage : run.stages) {
    stages.push_back({{"name", stage.detail.empty() ? "master " + stage.node : stage.detail},
                      {"startSeconds", ToSeconds(stage.start)},
                      {"endSeconds", ToSeconds(stage.end)}});
  }
  return {{"scenario", run.scenario},
          {"strategy", run.strategy},
          {"seed", run.seed},
          {"state", StateOf(run)},
          {"tasks", run.tasks},
          {"nodes", run.nodes},
          {"makespanSeconds", run.makespan_seconds},
          {"lowerBoundSeconds", run.lower_bound_seconds},
          {"efficiency", run.efficiency},
          {"utilization", run.utilization},
          {"loadImbalancePercent", run.load_imbalance_percent},
          {"wastedSeconds", run.wasted_seconds},
          {"coordinatorUtilization", run.coordinator_utilization},
          {"coordinatorBytes", run.coordinator_bytes},
          {"messages", run.messages},
          {"moves",
           {{"reserved", run.moves.reserved},
            {"leased", run.moves.leased},
            {"copies", run.moves.copies}}},
          {"stages", stages}};
}

ordered_json ToJson(const Median& median) {
  return {{"median", median.value}, {"low", median.low}, {"high", median.high}};
}

ordered_json ToJson(const Summary& summary) {
  return {{"scenario", summary.scenario},
          {"strategy", summary.strategy},
          {"repetitions", summary.repetitions},
          {"completed", summary.completed},
          {"makespanSeconds", ToJson(summary.makespan_seconds)},
          {"makespanOverBound", ToJson(summary.over_bound)},
          {"loadImbalancePercent", ToJson(summary.load_imbalance_percent)},
          {"utilization", ToJson(summary.utilization)},
          {"messages", ToJson(summary.messages)},
          {"wastedSeconds", ToJson(summary.wasted_seconds)},
          {"moves",
           {{"reserved", ToJson(summary.reserved_moves)},
            {"leased", ToJson(summary.leased_moves)},
            {"copies", ToJson(summary.copies)}}}};
}

std::string Ratio(const Summary& summary) {
  const Median& ratio = summary.over_bound;
  if (summary.completed == 0) return "never ended";
  return Format("%.4f", ratio.value);
}

std::string Interval(const Summary& summary) {
  if (summary.completed < 2) return "";
  return Format("%.4f..%.4f", summary.over_bound.low, summary.over_bound.high);
}

void WriteTable(const std::vector<const Summary*>& rows, std::ostream& out) {
  TextTable table({"strategy", "makespan, s", "x bound", "95 %", "imbalance, %", "utilization",
                   "messages", "moves", "wasted, s"});
  for (const Summary* row : rows) {
    const double moves = row->reserved_moves.value + row->leased_moves.value + row->copies.value;
    table.AddRow({Printable(row->strategy), Format("%.4g", row->makespan_seconds.value),
                  Ratio(*row), Interval(*row), Format("%.2f", row->load_imbalance_percent.value),
                  Format("%.4f", row->utilization.value),
                  HumanCount(static_cast<std::int64_t>(row->messages.value)),
                  HumanCount(static_cast<std::int64_t>(moves)),
                  Format("%.4g", row->wasted_seconds.value)});
  }
  table.Write(out);
}

}  // namespace

void WriteSimulationJson(const std::vector<ScenarioRun>& runs, std::ostream& out) {
  ordered_json rows = ordered_json::array();
  for (const ScenarioRun& run : runs) rows.push_back(ToJson(run));
  ordered_json summaries = ordered_json::array();
  for (const Summary& summary : simulator::Summarize(runs)) summaries.push_back(ToJson(summary));
  out << ordered_json{{"runs", rows}, {"summaries", summaries}}.dump(1) << '\n';
}

void WriteSimulationTables(const std::vector<ScenarioRun>& runs, std::ostream& out) {
  const auto summaries = simulator::Summarize(runs);
  for (auto first = summaries.begin(); first != summaries.end();) {
    std::vector<const Summary*> rows;
    auto next = first;
    for (; next != summaries.end() && next->scenario == first->scenario; ++next) {
      rows.push_back(&*next);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Summary* one, const Summary* other) {
      if (one->completed == 0 || other->completed == 0) return one->completed > other->completed;
      return one->over_bound.value < other->over_bound.value;
    });
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const ScenarioRun& each) {
      return each.scenario == first->scenario;
    });
    if (first != summaries.begin()) out << '\n';
    out << Printable(first->scenario) << ": " << HumanCount(run->tasks) << " tasks on "
        << HumanCount(run->nodes) << " nodes, seeds from " << run->seed << ", "
        << first->repetitions << " of them\n";
    WriteTable(rows, out);
    first = next;
  }
}

}  // namespace evenkeel::cli
