#include "workloads/switch_simulation/result_charts.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "workloads/short_text.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

using Measure = std::function<double(const TaskResult&)>;

constexpr std::size_t kMaxViews = 12;

/// At most kMaxViews of the places, the first and the last among them.
std::vector<std::size_t> Some(const std::vector<std::size_t>& places) {
  if (places.size() <= kMaxViews) return places;
  std::vector<std::size_t> some;
  for (std::size_t n = 0; n < kMaxViews; ++n) {
    some.push_back(places[n * (places.size() - 1) / (kMaxViews - 1)]);
  }
  return some;
}

/// One of the two lists that a chart is made over: its axis, or its views.
struct Dimension {
  std::size_t TaskPlace::*place;
  std::vector<std::size_t> order;
  std::function<double(std::size_t)> value;
};

Dimension Loads(const SwitchSpec& spec) {
  return {&TaskPlace::load, OrderOf(spec.loads),
          [&spec](std::size_t place) { return spec.loads[place]; }};
}

Dimension BufferSizes(const SwitchSpec& spec) {
  return {&TaskPlace::buffer_size, OrderOf(spec.buffer_sizes),
          [&spec](std::size_t place) { return static_cast<double>(spec.buffer_sizes[place]); }};
}

std::vector<model::ChartView> Views(const SweepResults& results, const Dimension& across,
                                    const Dimension& views, const Measure& measure) {
  const SwitchSpec& spec = results.Spec();
  std::vector<model::ChartView> made;
  for (const std::size_t view : Some(views.order)) {
    model::ChartView& one = made.emplace_back();
    one.name = ShortText(views.value(view));
    for (std::size_t algorithm = 0; algorithm < spec.algorithms.size(); ++algorithm) {
      model::ChartSeries& series = one.series.emplace_back();
      series.name = NameOf(spec.algorithms[algorithm]);
      TaskPlace place;
      place.algorithm = algorithm;
      place.*views.place = view;
      for (const std::size_t at : across.order) {
        place.*across.place = at;
        const std::optional<double> y = results.Mean(place, measure);
        if (y) series.points.push_back({across.value(at), *y});
      }
    }
  }
  return made;
}

/// What a chart shows of the tasks.
struct Shown {
  std::string title;
  std::string caption;
  model::ChartAxis y;
  Measure measure;
};

model::Chart ByLoad(const SweepResults& results, Shown shown) {
  model::Chart chart;
  chart.title = std::move(shown.title);
  chart.caption = std::move(shown.caption);
  chart.view_title = "Cells a buffer";
  chart.x = {"load, cells an input and slot", false};
  chart.y = std::move(shown.y);
  chart.views = Views(results, Loads(results.Spec()), BufferSizes(results.Spec()), shown.measure);
  // With the smallest buffers all algorithms lose the same, with the largest none loses anything.
  chart.shown_view = chart.views.size() / 2;
  return chart;
}

constexpr const char* kLossCaption = "Share of the arrived cells that met a full buffer.";

double LossPercent(const TaskResult& result) { return 100 * LossOf(result); }
double Delay99(const TaskResult& result) { return static_cast<double>(result.delay_p99); }

std::vector<model::Chart> AllByLoad(const SweepResults& results) {
  const double chances = static_cast<double>(results.Spec().ports) * results.Spec().slots;
  const auto throughput = [chances](const TaskResult& result) {
    return static_cast<double>(result.departed) / chances;
  };
  return {ByLoad(results, {"Loss by load", kLossCaption, {"lost, %", false}, LossPercent}),
          ByLoad(results, {"Mean delay by load",
                           "From arrival to departure; cells that were lost have none.",
                           {"slots", true},
                           MeanDelayOf}),
          ByLoad(results, {"99th percentile of the delay by load",
                           "Of 100 cells that departed, 99 waited no longer.",
                           {"slots", true},
                           Delay99}),
          ByLoad(results, {"Throughput by load",
                           "1 is an output that always sends.",
                           {"cells an output and slot", false},
                           throughput})};
}

model::Chart LossByBufferSize(const SweepResults& results) {
  const SwitchSpec& spec = results.Spec();
  model::Chart chart;
  chart.title = "Loss by buffer size";
  chart.caption = kLossCaption;
  chart.view_title = "Load";
  chart.x = {"cells a buffer", true};
  chart.y = {"lost, %", false};
  chart.views = Views(results, BufferSizes(spec), Loads(spec), LossPercent);
  chart.shown_view = chart.views.size() - 1;
  return chart;
}

}  // namespace

std::vector<model::Chart> ChartsOf(const SweepResults& results) {
  std::vector<model::Chart> charts;
  if (results.Spec().loads.size() > 1) charts = AllByLoad(results);
  if (results.Spec().buffer_sizes.size() > 1) charts.push_back(LossByBufferSize(results));
  return charts;
}

}  // namespace evenkeel::workloads::switch_simulation
