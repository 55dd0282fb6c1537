#include "workloads/parameter_estimation/estimation_results.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "platform/files.h"
#include "workloads/short_text.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

/// The points added so far that no other one dominates in area and power.
class NonDominatedSet {
 public:
  [[nodiscard]] bool Dominates(const TaskResult& point) const {
    const auto above = power_by_area_.upper_bound(point.area);
    return above != power_by_area_.begin() && std::prev(above)->second <= point.power_nanowatts;
  }
  /// The point must not be dominated.
  void Add(const TaskResult& point) {
    auto next = power_by_area_.lower_bound(point.area);
    while (next != power_by_area_.end() && next->second >= point.power_nanowatts) {
      next = power_by_area_.erase(next);
    }
    power_by_area_[point.area] = point.power_nanowatts;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> power_by_area_;  // power falls as area rises
};

auto FiguresOf(const TaskResult& result) {
  return std::tie(result.cycles, result.area, result.power_nanowatts);
}

}  // namespace

std::vector<std::size_t> ParetoFront(const EstimationResults& results) {
  std::vector<std::size_t> order;
  for (std::size_t task = 0; task < results.size(); ++task) {
    if (results[task]) order.push_back(task);
  }
  std::stable_sort(order.begin(), order.end(), [&results](std::size_t a, std::size_t b) {
    return FiguresOf(*results[a]) < FiguresOf(*results[b]);
  });
  // In this order, every point that dominates another one comes before it.
  std::vector<std::size_t> front;
  NonDominatedSet non_dominated;
  for (const std::size_t task : order) {
    const TaskResult& point = *results[task];
    const bool equals_last =
        !front.empty() && FiguresOf(*results[front.back()]) == FiguresOf(point);
    if (equals_last || !non_dominated.Dominates(point)) {
      if (!equals_last) non_dominated.Add(point);
      front.push_back(task);
    }
  }
  return front;
}

namespace {

std::string CsvHeader(const EstimationSpec& spec) {
  std::string head = "index";
  for (const UnitType& unit : spec.units) head += ",units." + unit.name;
  return head + ",cycles,seconds,powerMilliwatts,area,proven,pareto\n";
}

std::string CsvRow(const EstimationSpec& spec, std::size_t task, const TaskResult& result,
                   bool pareto) {
  std::string row = std::to_string(task);
  for (const std::uint32_t count : CombinationAt(spec.units, static_cast<model::TaskIndex>(task))) {
    row += "," + std::to_string(count);
  }
  row += "," + std::to_string(result.cycles);
  row += "," + ShortText(SecondsOf(spec, result.cycles));
  row += "," + ShortText(MilliwattsOf(result)) + "," + std::to_string(result.area);
  row += result.proven ? ",1" : ",0";
  return row + (pareto ? ",1\n" : ",0\n");
}

/// A row for each of `tasks` that has a result.
Result<void> WriteTable(const std::filesystem::path& path, const EstimationSpec& spec,
                        const EstimationResults& results, const std::vector<std::size_t>& tasks,
                        const std::vector<bool>& in_front) {
  auto created = platform::AtomicFile::Create(path);
  if (!created) return tl::unexpected(created.error());
  platform::AtomicFile& file = *created;
  if (auto begun = file.Append(CsvHeader(spec)); !begun) return begun;
  for (const std::size_t task : tasks) {
    if (!results[task]) continue;
    const std::string row = CsvRow(spec, task, *results[task], in_front[task]);
    if (auto added = file.Append(row); !added) return added;
  }
  return file.Commit();
}

Result<void> WriteFrontJson(const std::filesystem::path& path, const EstimationSpec& spec,
                            const EstimationResults& results,
                            const std::vector<std::size_t>& front) {
  auto created = platform::AtomicFile::Create(path);
  if (!created) return tl::unexpected(created.error());
  platform::AtomicFile& file = *created;
  std::string separator = "[";
  for (const std::size_t task : front) {
    const std::string item = separator + "\n" + CombinationJson(spec, task, *results[task]);
    if (auto added = file.Append(item); !added) return added;
    separator = ",";
  }
  if (auto ended = file.Append(front.empty() ? "[]\n" : "\n]\n"); !ended) return ended;
  return file.Commit();
}

}  // namespace

std::string CombinationJson(const EstimationSpec& spec, std::size_t task,
                            const TaskResult& result) {
  const UnitCounts counts = CombinationAt(spec.units, static_cast<model::TaskIndex>(task));
  std::string units;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (n > 0) units += ",";
    units += "\"" + spec.units[n].name + "\":" + std::to_string(counts[n]);
  }
  return "{\"units\":{" + units + "},\"cycles\":" + std::to_string(result.cycles) +
         ",\"seconds\":" + ShortText(SecondsOf(spec, result.cycles)) +
         ",\"powerMilliwatts\":" + ShortText(MilliwattsOf(result)) +
         ",\"area\":" + std::to_string(result.area) + "}";
}

Result<void> WriteResultFiles(const std::filesystem::path& folder, const EstimationSpec& spec,
                              const EstimationResults& results,
                              const std::vector<std::size_t>& front) {
  std::vector<std::size_t> all(results.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<bool> in_front(results.size());
  for (const std::size_t task : front) in_front[task] = true;
  for (const auto* tasks : {&std::as_const(all), &front}) {
    const auto path = folder / (tasks == &front ? "pareto.csv" : "results.csv");
    if (auto csv = WriteTable(path, spec, results, *tasks, in_front); !csv) return csv;
  }
  return WriteFrontJson(folder / "pareto.json", spec, results, front);
}

namespace {

using Measure = std::function<double(const TaskResult&)>;
/// The distinct points of a chart, in order.
using Points = std::set<std::pair<double, double>>;

model::ChartSeries ScatterSeries(const std::string& name, const Points& points) {
  model::ChartSeries series;
  series.name = name;
  series.joined = false;
  for (const auto& [x, y] : points) series.points.push_back({x, y});
  return series;
}

/// The running minimum of y by increasing x.
model::ChartSeries LowerEnvelope(const std::string& name, const Points& points) {
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
  view.series = {ScatterSeries("Pareto front", best), LowerEnvelope("least for its time", all),
                 ScatterSeries("combinations", all)};
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
