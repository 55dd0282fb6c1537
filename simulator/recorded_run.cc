#include "simulator/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "report/summary_json.h"
#include "report/timeline.h"

namespace evenkeel::simulator {
namespace {

using model::NodeSummary;
using model::ResultRecord;
using model::TimelineEvent;

// A node as the timeline shows it.
struct NodeTrace {
  double busy_seconds = 0;
  std::int64_t tasks = 0;
  std::vector<Duration> joined;
  std::vector<Duration> lost;
  std::vector<std::pair<Duration, Duration>> ran;  // start and end of each range, in order
  std::uint32_t cores = 1;
  double working = 1;  ///< part of the time in which it had work that went into tasks
};

struct Traces {
  std::map<std::string, NodeTrace> nodes;
  std::vector<ResultRecord> records;
};

/// Estimates the number of cores as the mean number of busy ones while any was busy. Short pauses
/// between ranges count as work, because a worker may have only a share of a core.
void FillWork(NodeTrace& node) {
  constexpr double kRoundedAway = 0.05;  // the ends of ranges are rounded, too
  constexpr Duration kShort = std::chrono::milliseconds(150);
  Duration covered{};
  Duration pauses{};
  Duration until = node.ran.empty() ? Duration{} : node.ran.front().first;
  for (const auto& [start, end] : node.ran) {
    const Duration pause = start - until;
    if (pause > Duration{} && pause < kShort) pauses += pause;
    covered += std::max(end - std::max(start, until), Duration{});
    until = std::max(until, end);
  }
  if (covered <= Duration{}) return;
  const double busy = std::ceil(node.busy_seconds / ToSeconds(covered) - kRoundedAway);
  node.cores = static_cast<std::uint32_t>(std::clamp(busy, 1.0, 4096.0));
  node.working = ToSeconds(covered) / ToSeconds(covered + pauses);
}

Result<Traces> ReadTraces(const std::filesystem::path& timeline) {
  Traces traces;
  const auto read = report::ReadTimeline(timeline, [&](const report::TimelineEntry& entry) {
    if (const auto* event = std::get_if<TimelineEvent>(&entry)) {
      NodeTrace& node = traces.nodes[event->node];
      if (event->kind == TimelineEvent::Kind::kJoined) node.joined.push_back(event->start);
      if (event->kind == TimelineEvent::Kind::kLost) node.lost.push_back(event->start);
      return;
    }
    const auto& record = std::get<ResultRecord>(entry);
    NodeTrace& node = traces.nodes[record.node];
    node.busy_seconds += ToSeconds(record.busy);
    node.tasks += record.range.Size();
    node.ran.emplace_back(record.started, record.ended);
    traces.records.push_back(record);
  });
  if (!read) return tl::unexpected(read.error());
  traces.nodes.erase("");  // of events that are about no node
  for (auto& [name, node] : traces.nodes) {
    std::sort(node.joined.begin(), node.joined.end());
    std::sort(node.lost.begin(), node.lost.end());
    std::sort(node.ran.begin(), node.ran.end());
    FillWork(node);
  }
  return traces;
}

Result<void> Fits(const Traces& traces, const RecordedRun& run) {
  const std::string where = run.timeline.string() + ": ";
  const std::int64_t total = run.summary.tasks_total;
  if (traces.records.empty()) {
    return InvalidInput(where + "has no results of tasks, so there is nothing to replay");
  }
  if (total > kMaxTasks) {
    return InvalidInput(where + "must have at most " + std::to_string(kMaxTasks) + " tasks, has " +
                        std::to_string(total));
  }
  for (const ResultRecord& record : traces.records) {
    if (record.range.end > total) {
      return InvalidInput(where + "task " + std::to_string(record.range.end - 1) +
                          " is not among the " + std::to_string(total) + " of summary.json");
    }
  }
  for (const auto& [name, trace] : traces.nodes) {
    const auto& nodes = run.summary.nodes;
    const bool known = std::any_of(nodes.begin(), nodes.end(),
                                   [&name = name](const auto& node) { return node.name == name; });
    if (!known) return InvalidInput(where + "node " + name + " is not in summary.json");
  }
  return {};
}

double CoresOf(const Traces& traces, const std::string& name) {
  const auto trace = traces.nodes.find(name);
  return trace == traces.nodes.end() ? 1 : trace->second.cores;
}

/// Whether rates are tasks per second, as with unknown costs. Then a node's rate times its busy
/// seconds is about the number of its tasks; with known costs the two differ widely.
bool RatesAreInTasks(const Traces& traces, const RecordedRun& run) {
  double units = 0;
  double tasks = 0;
  for (const NodeSummary& node : run.summary.nodes) {
    units += node.mean_rate * node.busy_seconds / CoresOf(traces, node.name);
    tasks += static_cast<double>(node.completed);
  }
  return units > 0.5 * tasks && units < 2 * tasks;
}

/// Computes the speeds of cores from the figures of nodes; no entry if nothing is known.
std::map<std::string, double> SpeedsOf(const Traces& traces, RecordedRun& run) {
  bool declared = true;
  for (const NodeSummary& node : run.summary.nodes) {
    const auto trace = traces.nodes.find(node.name);
    const bool worked = trace != traces.nodes.end() && trace->second.tasks > 0;
    declared = declared && (!worked || node.declared_speed.value_or(0) > 0);
  }
  run.speed_source = declared && !run.costs_declared ? "declared" : "measured";
  std::map<std::string, double> speeds;
  double sum = 0;
  double declared_sum = 0;
  double slowest = INFINITY;
  for (const NodeSummary& node : run.summary.nodes) {
    double speed = node.mean_rate / CoresOf(traces, node.name);
    if (run.speed_source == "declared") speed = node.declared_speed.value_or(0);
    if (!(speed > 0)) continue;
    speeds[node.name] = speed;
    sum += speed;
    declared_sum += node.declared_speed.value_or(0);
    slowest = std::min(slowest, speed);
  }
  const double unit = declared ? sum / declared_sum : slowest;
  for (auto& [name, speed] : speeds) speed /= unit;
  return speeds;
}

void FillSeconds(const Traces& traces, const std::map<std::string, double>& speeds,
                 RecordedRun& run) {
  constexpr double kUnknown = -1;
  run.seconds.assign(static_cast<std::size_t>(run.summary.tasks_total), kUnknown);
  double sum = 0;
  std::int64_t known = 0;
  for (const ResultRecord& record : traces.records) {
    const auto tasks = static_cast<double>(record.range.Size());
    const double each = ToSeconds(record.busy) / tasks * speeds.at(record.node);
    for (auto i = record.range.begin; i < record.range.end; ++i) {
      run.seconds[static_cast<std::size_t>(i)] = each;
    }
    sum += each * tasks;
    known += record.range.Size();
  }
  for (double& seconds : run.seconds) {
    if (seconds >= 0) continue;
    seconds = sum / static_cast<double>(known);
    ++run.without_time;
  }
}

NodeFault DeathAt(Duration at, std::optional<Duration> back) {
  NodeFault fault;
  fault.at.seconds = ToSeconds(at);
  if (back) fault.lasts = Moment{ToSeconds(*back - at), 0};
  return fault;
}

/// The end of the node's last range between `from` and `to`; `from` if there is none.
Duration LastActivity(const NodeTrace& trace, Duration from, Duration to) {
  Duration last = from;
  for (const auto& [start, end] : trace.ran) {
    if (end <= to) last = std::max(last, end);
  }
  return last;
}

bool Between(const std::vector<Duration>& moments, Duration from, Duration to) {
  return std::any_of(moments.begin(), moments.end(),
                     [&](Duration at) { return at > from && at <= to; });
}

/// Adds a fault for each time that the node was lost or joined again, unless it ran tasks in
/// between: then only its link was down. The process died after its last result, before its lease
/// expired.
void AddDeaths(const NodeTrace& trace, NodeGroup& group) {
  for (std::size_t i = 0; i < trace.joined.size(); ++i) {
    const Duration came = trace.joined[i];
    const bool last = i + 1 == trace.joined.size();
    const Duration next = last ? Duration::max() : trace.joined[i + 1];
    const bool lost = Between(trace.lost, came, next);
    const bool ran_on = std::any_of(trace.ran.begin(), trace.ran.end(), [&](const auto& run) {
      return run.first < next && next < run.second;
    });
    if (last && !lost) continue;
    if (!last && !lost && ran_on) continue;
    const Duration died = LastActivity(trace, came, last ? trace.lost.back() : next);
    group.faults.push_back(DeathAt(died, last ? std::nullopt : std::optional(next)));
  }
}

void FillNodes(const Traces& traces, const std::map<std::string, double>& speeds,
               RecordedRun& run) {
  const auto& nodes = run.summary.nodes;
  // A strategy that plans shares has one for each node that it expects; others have all tasks with
  // one node, from which they are handed out.
  constexpr double kLateSeconds = 1;
  const bool planned = std::count_if(nodes.begin(), nodes.end(),
                                     [](const NodeSummary& node) { return node.share > 0; }) > 1;
  for (const NodeSummary& node : nodes) {
    const auto trace = traces.nodes.find(node.name);
    const auto speed = speeds.find(node.name);
    if (trace == traces.nodes.end() || speed == speeds.end()) continue;
    NodeGroup group;
    group.name = node.name;
    group.speed = Constant{speed->second * trace->second.working};
    group.cores = trace->second.cores;
    if (node.ratio > 0) group.weight = node.ratio;
    const auto& joined = trace->second.joined;
    if (!joined.empty()) group.joins = Moment{std::max(ToSeconds(joined.front()), 0.0), 0};
    const bool late =
        group.joins && group.joins->seconds > run.summary.startup_seconds + kLateSeconds;
    group.expected = !(late && planned && node.share <= 0);
    AddDeaths(trace->second, group);
    run.nodes.push_back(std::move(group));
  }
  const bool nobody = std::none_of(run.nodes.begin(), run.nodes.end(),
                                   [](const NodeGroup& group) { return group.expected; });
  for (NodeGroup& group : run.nodes) group.expected = group.expected || nobody;
}

}  // namespace

Result<RecordedRun> ReadRecordedRun(const std::filesystem::path& path) {
  RecordedRun run;
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  run.timeline = folder ? path / "timeline.jsonl" : path;
  const auto traces = ReadTraces(run.timeline);
  if (!traces) return tl::unexpected(traces.error());
  const auto beside = run.timeline.parent_path() / "summary.json";
  auto summary = report::ReadSummary(beside);
  if (!summary) return tl::unexpected(summary.error());
  run.summary = std::move(*summary);
  if (auto fits = Fits(*traces, run); !fits) return tl::unexpected(fits.error());
  const auto strategy = model::ParseStrategyName(run.summary.strategy);
  if (!strategy) {
    return InvalidInput(beside.string() + ": strategy: " + run.summary.strategy +
                        " is not known here");
  }
  run.strategy = *strategy;
  run.costs_declared = !RatesAreInTasks(*traces, run);
  const auto speeds = SpeedsOf(*traces, run);
  for (const auto& [name, trace] : traces->nodes) {
    if (trace.tasks == 0 || speeds.contains(name)) continue;
    return InvalidInput(beside.string() + ": node " + name + " has results, but no rate");
  }
  FillSeconds(*traces, speeds, run);
  FillNodes(*traces, speeds, run);
  return run;
}

Scenario ScenarioOf(const RecordedRun& run) {
  Scenario scenario;
  scenario.name = run.summary.job;
  scenario.tasks.costs = ListedCosts{run.seconds};
  scenario.tasks.costs_declared = run.costs_declared;
  scenario.nodes = run.nodes;
  scenario.defaults.balancing.strategy = run.strategy;
  if (run.summary.lease_seconds > 0) {
    scenario.defaults.balancing.lease = FromSeconds(run.summary.lease_seconds);
  }
  scenario.variants = {scenario.defaults};
  scenario.variants.front().name = run.summary.strategy;
  return scenario;
}

}  // namespace evenkeel::simulator
