#include "cli/simulate_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/human_text.h"
#include "cli/simulate_output.h"
#include "report/html_report.h"
#include "report/summary_json.h"
#include "report/timeline.h"
#include "report/timeline_digest.h"

namespace evenkeel::cli {
namespace {

using nlohmann::ordered_json;
using simulator::ScenarioRun;

// Limits for all lanes of a scenario together, and minimum for one strategy.
constexpr std::size_t kMostBars = 40'000;
constexpr std::size_t kFewestBars = 2'000;
constexpr std::size_t kMostEvents = 500;  // of a kind

std::string Dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The object, which has members, with one more, whose value is JSON text.
std::string WithMember(std::string object, const std::string& name, const std::string& value) {
  object.pop_back();
  return object + ",\"" + name + "\":" + value + "}";
}

std::string ReplayText(const simulator::RecordedRun& run) {
  std::string text = "Replay of a run in which " + run.summary.strategy + " took " +
                     Format("%.4g", run.summary.makespan_seconds) + " s; speeds are " +
                     run.speed_source + ".";
  if (run.without_time > 0) {
    text += " " + std::to_string(run.without_time) +
            " tasks have no time in its timeline; they are taken to be average ones.";
  }
  return text;
}

}  // namespace

void SimulatePage::Begin(const simulator::Scenario& scenario,
                         const simulator::SimulationConfig& drawn,
                         const simulator::RecordedRun* recorded) {
  Part& part = parts_.emplace_back();
  part.scenario = &scenario;
  part.recorded = recorded;
  for (const auto& node : drawn.nodes) {
    part.nodes.push_back(node.name);
    part.speeds.push_back(node.speed.MaxSpeed() * node.threads);
  }
  if (recorded == nullptr) return;
  for (const auto& node : recorded->summary.nodes) {  // those that were left out, too
    if (std::count(part.nodes.begin(), part.nodes.end(), node.name) > 0) continue;
    part.nodes.push_back(node.name);
    part.speeds.push_back(0);
  }
}

simulator::Recorder SimulatePage::NextLanes() {
  Part& part = parts_.back();
  Lanes& lanes = part.lanes.emplace_back();
  lanes.recorder = std::make_unique<LaneRecorder>(part.nodes);
  return lanes.recorder->Recorder();
}

void SimulatePage::Ended(const ScenarioRun& run) { parts_.back().lanes.back().run = run; }

Result<void> SimulatePage::AddRecorded(Part& part) {
  const auto& recorded = *part.recorded;
  Lanes lanes;
  lanes.recorder = std::make_unique<LaneRecorder>(part.nodes);
  const auto read = report::ReadTimeline(
      recorded.timeline, [&](const report::TimelineEntry& entry) { lanes.recorder->Add(entry); });
  if (!read) return read;
  lanes.recorded = true;
  lanes.startup_seconds = recorded.summary.startup_seconds;
  lanes.run.strategy = recorded.summary.strategy;
  lanes.run.state = recorded.summary.state;
  lanes.run.makespan_seconds = recorded.summary.makespan_seconds;
  lanes.run.lower_bound_seconds = recorded.summary.lower_bound_seconds;
  part.lanes.insert(part.lanes.begin(), std::move(lanes));
  return {};
}

void SimulatePage::Sort(std::vector<Lanes>& lanes, const std::vector<simulator::Summary>& rows) {
  const auto rank = [&](const Lanes& each) {
    if (each.recorded) return std::ptrdiff_t{-1};
    return std::find_if(rows.begin(), rows.end(),
                        [&](const auto& row) { return row.strategy == each.run.strategy; }) -
           rows.begin();
  };
  std::stable_sort(lanes.begin(), lanes.end(),
                   [&](const Lanes& one, const Lanes& other) { return rank(one) < rank(other); });
}

std::string SimulatePage::RunData(Lanes& lanes, std::size_t most_bars) {
  lanes.recorder->Digest().Condense(most_bars, kMostEvents);
  const ordered_json run = {{"strategy", lanes.run.strategy},
                            {"recorded", lanes.recorded},
                            {"summary",
                             {{"state", report::StateName(lanes.run.state)},
                              {"makespanSeconds", lanes.run.makespan_seconds},
                              {"lowerBoundSeconds", lanes.run.lower_bound_seconds},
                              {"startupSeconds", lanes.startup_seconds}}}};
  // Timelines may be long: they are put in as text.
  return WithMember(Dump(run), "timeline", report::TimelineData(lanes.recorder->Digest()));
}

std::string SimulatePage::PartData(Part& part, const std::vector<ScenarioRun>& runs) {
  std::vector<ScenarioRun> own;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(own),
               [&](const ScenarioRun& run) { return run.scenario == part.scenario->name; });
  const auto best_first = BestFirst(simulator::Summarize(own));
  Sort(part.lanes, best_first);

  ordered_json rows = ordered_json::array();
  for (const auto& row : best_first) rows.push_back(SummaryJson(row));
  ordered_json nodes = ordered_json::array();
  for (std::size_t i = 0; i < part.nodes.size(); ++i) {
    const auto figures = part.lanes.front().recorder->Of(part.nodes[i]);
    nodes.push_back({{"name", part.nodes[i]},
                     {"rate", part.speeds[i]},
                     {"stolenOut", figures.stolen_out},
                     {"predictedFinishSeconds", ToSeconds(figures.last_end)}});
  }
  ordered_json data = {{"name", part.scenario->name},
                       {"description", part.scenario->description},
                       {"tasks", own.front().tasks},
                       {"seed", std::to_string(part.scenario->seed)},
                       {"repetitions", part.scenario->repetitions},
                       {"nodes", std::move(nodes)},
                       {"rows", std::move(rows)}};
  data["replay"] = nullptr;
  if (part.recorded != nullptr) data["replay"] = ReplayText(*part.recorded);

  std::string drawn = "[";
  const std::size_t most_bars = std::max(kMostBars / part.lanes.size(), kFewestBars);
  for (Lanes& lanes : part.lanes) {
    if (drawn.back() != '[') drawn += ',';
    drawn += RunData(lanes, most_bars);
  }
  return WithMember(Dump(data), "runs", drawn + "]");
}

Result<std::string> SimulatePage::Html(const std::vector<ScenarioRun>& runs) {
  std::string data = "{\"scenarios\":[";
  for (Part& part : parts_) {
    if (part.recorded != nullptr) {
      if (auto added = AddRecorded(part); !added) return tl::unexpected(added.error());
    }
    if (data.back() != '[') data += ',';
    data += PartData(part, runs);
  }
  return report::SimulationPage(parts_.front().scenario->name, data + "]}");
}

}  // namespace evenkeel::cli
