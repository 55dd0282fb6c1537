#include "cli/simulate_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/human_text.h"
#include "cli/text_table.h"

namespace evenkeel::cli {
namespace {

using nlohmann::ordered_json;
using simulator::Median;
using simulator::RecordedRun;
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
  ordered_json json = {{"scenario", run.scenario},
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
  if (run.joules) json["joules"] = *run.joules;
  return json;
}

ordered_json ToJson(const Median& median) {
  return {{"median", median.value}, {"low", median.low}, {"high", median.high}};
}

}  // namespace

ordered_json SummaryJson(const Summary& summary) {
  ordered_json json = {{"scenario", summary.scenario},
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
  if (summary.joules) json["joules"] = ToJson(*summary.joules);
  return json;
}

std::vector<Summary> BestFirst(std::vector<Summary> summaries) {
  std::stable_sort(summaries.begin(), summaries.end(),
                   [](const Summary& one, const Summary& other) {
                     if (one.completed == 0 || other.completed == 0) {
                       return one.completed > other.completed;
                     }
                     return one.over_bound.value < other.over_bound.value;
                   });
  return summaries;
}

namespace {

std::string Ratio(const Summary& summary) {
  const Median& ratio = summary.over_bound;
  if (summary.completed == 0) return "never ended";
  return Format("%.4f", ratio.value);
}

std::string Interval(const Summary& summary) {
  if (summary.completed < 2) return "";
  return Format("%.4f..%.4f", summary.over_bound.low, summary.over_bound.high);
}

double SpeedOf(const simulator::NodeGroup& node) {
  return std::get<simulator::Constant>(node.speed).value;
}

ordered_json ToJson(const RecordedRun& recorded) {
  ordered_json nodes = ordered_json::array();
  for (const auto& node : recorded.nodes) {
    nodes.push_back({{"name", node.name}, {"speed", SpeedOf(node)}, {"cores", node.cores}});
  }
  return {{"timeline", recorded.timeline.string()},
          {"strategy", recorded.summary.strategy},
          {"makespanSeconds", recorded.summary.makespan_seconds},
          {"efficiency", recorded.summary.efficiency},
          {"speeds", recorded.speed_source},
          {"costsTold", recorded.costs_declared},
          {"tasksWithoutTime", recorded.without_time},
          {"nodes", nodes}};
}

void WriteRecorded(const RecordedRun& recorded, std::ostream& out) {
  constexpr std::size_t kNamed = 8;
  out << "replay of " << Printable(recorded.timeline.string()) << ": "
      << Printable(recorded.summary.strategy) << " took "
      << Format("%.4g", recorded.summary.makespan_seconds) << " s\nspeeds ("
      << recorded.speed_source << "):";
  for (std::size_t i = 0; i < std::min(recorded.nodes.size(), kNamed); ++i) {
    const auto& node = recorded.nodes[i];
    out << (i > 0 ? ", " : " ") << Printable(node.name) << ' ' << Format("%.4g", SpeedOf(node));
    if (node.cores > 1) out << " x " << node.cores;
  }
  if (recorded.nodes.size() > kNamed) out << " and " << recorded.nodes.size() - kNamed << " more";
  out << '\n';
  if (recorded.without_time > 0) {
    out << HumanCount(recorded.without_time)
        << " tasks have no time in the timeline; they are taken to be average ones\n";
  }
}

void WriteTable(const std::vector<Summary>& rows, std::ostream& out) {
  std::vector<std::string> head{"strategy",    "makespan, s", "x bound", "95 %",     "imbalance, %",
                                "utilization", "messages",    "moves",   "wasted, s"};
  const bool joules =
      std::any_of(rows.begin(), rows.end(), [](const Summary& row) { return row.joules; });
  if (joules) head.emplace_back("joules");
  TextTable table(head);
  for (const Summary& row : rows) {
    const double moves = row.reserved_moves.value + row.leased_moves.value + row.copies.value;
    std::vector<std::string> cells{Printable(row.strategy),
                                   Format("%.4g", row.makespan_seconds.value),
                                   Ratio(row),
                                   Interval(row),
                                   Format("%.2f", row.load_imbalance_percent.value),
                                   Format("%.4f", row.utilization.value),
                                   HumanCount(static_cast<std::int64_t>(row.messages.value)),
                                   HumanCount(static_cast<std::int64_t>(moves)),
                                   Format("%.4g", row.wasted_seconds.value)};
    if (joules) cells.push_back(row.joules ? Format("%.4g", row.joules->value) : "");
    table.AddRow(cells);
  }
  table.Write(out);
}

}  // namespace

void WriteSimulationJson(const std::vector<ScenarioRun>& runs, const RecordedRun* recorded,
                         std::ostream& out) {
  ordered_json rows = ordered_json::array();
  for (const ScenarioRun& run : runs) rows.push_back(ToJson(run));
  ordered_json summaries = ordered_json::array();
  for (const Summary& summary : simulator::Summarize(runs))
    summaries.push_back(SummaryJson(summary));
  ordered_json all;
  if (recorded != nullptr) all["replay"] = ToJson(*recorded);
  all["runs"] = std::move(rows);
  all["summaries"] = std::move(summaries);
  out << all.dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void WriteSimulationTables(const std::vector<ScenarioRun>& runs, const RecordedRun* recorded,
                           std::ostream& out) {
  if (recorded != nullptr) WriteRecorded(*recorded, out);
  const auto summaries = simulator::Summarize(runs);
  for (auto first = summaries.begin(); first != summaries.end();) {
    const auto next = std::find_if(first, summaries.end(), [&](const Summary& summary) {
      return summary.scenario != first->scenario;
    });
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const ScenarioRun& each) {
      return each.scenario == first->scenario;
    });
    if (first != summaries.begin()) out << '\n';
    out << Printable(first->scenario) << ": " << HumanCount(run->tasks) << " tasks on "
        << HumanCount(run->nodes) << " nodes, seeds from " << run->seed << ", "
        << first->repetitions << " of them\n";
    WriteTable(BestFirst({first, next}), out);
    first = next;
  }
}

}  // namespace evenkeel::cli
