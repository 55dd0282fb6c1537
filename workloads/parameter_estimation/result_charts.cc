#include "workloads/parameter_estimation/result_charts.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace evenkeel::workloads::parameter_estimation {
namespace {

using Measure = std::function<double(const TaskResult&)>;
/// Of the points of a chart, each once and in order.
using Points = std::set<std::pair<double, double>>;

model::ChartSeries Cloud(const std::string& name, const Points& points) {
  model::ChartSeries series;
  series.name = name;
  series.joined = false;
  for (const auto& [x, y] : points) series.points.push_back({x, y});
  return series;
}

/// The lower left edge of the points: the least y of all that are not further right.
model::ChartSeries Edge(const std::string& name, const Points& points) {
  model::ChartSeries series;
  series.name = name;
  for (const auto& [x, y] : points) {
    if (series.points.empty() || y < series.points.back().y) series.points.push_back({x, y});
  }
  return series;
}

model::Chart ByTime(const EstimationSpec& spec, const EstimationResults& results,
                    const std::vector<std::size_t>& front, const std::string& what,
                    const std::string& unit, const Measure& measure) {
  const auto point = [&](const TaskResult& result) {
    return std::make_pair(1e6 * SecondsOf(spec, result.cycles), measure(result));
  };
  Points all;
  for (const auto& result : results) {
    if (result) all.insert(point(*result));
  }
  Points best;
  for (const std::size_t task : front) best.insert(point(*results[task]));
  model::Chart chart;
  chart.title = what + " by execution time";
  chart.caption =
      "The Pareto front is that of time, power and area together, so not all of it lies "
      "on the edge of this picture.";
  chart.x = {"execution time, us", false};
  chart.y = {unit, false};
  model::ChartView& view = chart.views.emplace_back();
  // The first one is drawn on top of the others.
  view.series = {Cloud("Pareto front", best), Edge("least for its time", all),
                 Cloud("combinations", all)};
  return chart;
}

}  // namespace

std::vector<model::Chart> ChartsOf(const EstimationSpec& spec, const EstimationResults& results,
                                   const std::vector<std::size_t>& front) {
  const auto area = [](const TaskResult& result) { return static_cast<double>(result.area); };
  return {ByTime(spec, results, front, "Area", "area, units of the job", area),
          ByTime(spec, results, front, "Power", "power, mW", MilliwattsOf)};
}

}  // namespace evenkeel::workloads::parameter_estimation
