#include "simulator/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/model/run_figures.h"

namespace evenkeel::simulator {
namespace {

// The largest k with P(fewer than k of n fair coins show heads) <= 2.5 %. The median is between the
// k-th smallest and the k-th largest value with a probability of at least 95 %.
std::size_t RankOfInterval(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // of exactly k heads
  double at_most = probability;
  std::size_t k = 0;
  while (at_most <= 0.025 && k < n / 2) {
    ++k;
    probability *= static_cast<double>(n - k + 1) / static_cast<double>(k);
    at_most += probability;
  }
  return k;
}

double Middle(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

using Pick = std::function<double(const ScenarioRun&)>;

Median MedianOfRuns(const std::vector<const ScenarioRun*>& runs, const Pick& pick) {
  std::vector<double> values;
  for (const ScenarioRun* run : runs) values.push_back(pick(*run));
  return MedianOf(std::move(values));
}

Summary SummaryOf(const std::vector<const ScenarioRun*>& runs) {
  std::vector<const ScenarioRun*> done;
  for (const ScenarioRun* run : runs) {
    if (run->state == model::JobState::kComplete) done.push_back(run);
  }
  const auto median = [&done](const Pick& pick) { return MedianOfRuns(done, pick); };
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  Summary summary;
  summary.scenario = runs.front()->scenario;
  summary.strategy = runs.front()->strategy;
  summary.repetitions = static_cast<std::int64_t>(runs.size());
  summary.completed = static_cast<std::int64_t>(done.size());
  summary.makespan_seconds = median([](const ScenarioRun& run) { return run.makespan_seconds; });
  summary.over_bound = median([](const ScenarioRun& run) {
    return model::MakespanOverBound(run.makespan_seconds, run.lower_bound_seconds);
  });
  summary.load_imbalance_percent =
      median([](const ScenarioRun& run) { return run.load_imbalance_percent; });
  summary.utilization = median([](const ScenarioRun& run) { return run.utilization; });
  summary.messages = median([&](const ScenarioRun& run) { return number(run.messages); });
  summary.reserved_moves =
      median([&](const ScenarioRun& run) { return number(run.moves.reserved); });
  summary.leased_moves = median([&](const ScenarioRun& run) { return number(run.moves.leased); });
  summary.copies = median([&](const ScenarioRun& run) { return number(run.moves.copies); });
  summary.wasted_seconds = median([](const ScenarioRun& run) { return run.wasted_seconds; });
  const bool joules = !done.empty() && std::all_of(done.begin(), done.end(), [](const auto* run) {
    return run->joules.has_value();
  });
  if (joules) summary.joules = median([](const ScenarioRun& run) { return *run.joules; });
  return summary;
}

}  // namespace

Median MedianOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t rank = std::max<std::size_t>(RankOfInterval(values.size()), 1);
  return {Middle(values), values[rank - 1], values[values.size() - rank]};
}

std::vector<Summary> Summarize(const std::vector<ScenarioRun>& runs) {
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, std::vector<const ScenarioRun*>> groups;
  for (const ScenarioRun& run : runs) {
    auto& group = groups[{run.scenario, run.strategy}];
    if (group.empty()) order.emplace_back(run.scenario, run.strategy);
    group.push_back(&run);
  }
  std::vector<Summary> summaries;
  for (const Key& key : order) summaries.push_back(SummaryOf(groups[key]));
  return summaries;
}

}  // namespace evenkeel::simulator
