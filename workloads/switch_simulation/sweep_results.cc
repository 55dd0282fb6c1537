#include "workloads/switch_simulation/sweep_results.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "platform/files.h"
#include "workloads/short_text.h"

namespace evenkeel::workloads::switch_simulation {

std::optional<double> SweepResults::Mean(
    TaskPlace place, const std::function<double(const TaskResult&)>& measure) const {
  double sum = 0;
  int count = 0;
  for (place.seed = 0; place.seed < spec_->seeds.size(); ++place.seed) {
    const auto& result = results_[static_cast<std::size_t>(IndexOf(*spec_, place))];
    if (!result) continue;
    sum += measure(*result);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::uint64_t SweepResults::LostAt(TaskPlace place) const {
  std::uint64_t lost = 0;
  for (place.seed = 0; place.seed < spec_->seeds.size(); ++place.seed) {
    const auto& result = results_[static_cast<std::size_t>(IndexOf(*spec_, place))];
    if (result) lost += result->lost;
  }
  return lost;
}

template <typename T>
std::vector<std::size_t> OrderOf(const std::vector<T>& values) {
  std::vector<std::size_t> places(values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(),
            [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return places;
}

template std::vector<std::size_t> OrderOf(const std::vector<double>&);
template std::vector<std::size_t> OrderOf(const std::vector<std::uint32_t>&);

namespace {

constexpr const char* kCsvHeader =
    "index,seed,load,bufferSize,algorithm,arrived,departed,lost,queued,throughput,loss,meanDelay,"
    "delayP50,delayP95,delayP99,longestDelay\n";

std::string Row(const SwitchSpec& spec, model::TaskIndex index, const TaskResult& result) {
  const TaskPlace place = PlaceOf(spec, index);
  const double output_slots = static_cast<double>(spec.ports) * spec.slots;
  const auto whole = [](auto number) { return std::to_string(number) + ","; };
  std::string row = whole(index) + whole(spec.seeds[place.seed]);
  row += ShortText(spec.loads[place.load]) + "," + whole(spec.buffer_sizes[place.buffer_size]);
  row += std::string(NameOf(spec.algorithms[place.algorithm])) + ",";
  row += whole(result.arrived) + whole(result.departed) + whole(result.lost) + whole(result.queued);
  row += ShortText(static_cast<double>(result.departed) / output_slots) + ",";
  row += ShortText(LossOf(result)) + "," + ShortText(MeanDelayOf(result)) + ",";
  row += whole(result.delay_p50) + whole(result.delay_p95) + whole(result.delay_p99);
  return row + std::to_string(result.delay_longest) + "\n";
}

}  // namespace

Result<void> WriteResultTable(const std::filesystem::path& path, const SweepResults& results) {
  auto created = platform::AtomicFile::Create(path);
  if (!created) return tl::unexpected(created.error());
  platform::AtomicFile& file = *created;
  if (auto begun = file.Append(kCsvHeader); !begun) return begun;
  for (std::size_t task = 0; task < results.All().size(); ++task) {
    const auto& result = results.All()[task];
    if (!result) continue;
    const auto index = static_cast<model::TaskIndex>(task);
    if (auto added = file.Append(Row(results.Spec(), index, *result)); !added) return added;
  }
  return file.Commit();
}

namespace {

using Measure = std::function<double(const TaskResult&)>;

constexpr std::size_t kMaxViews = 12;

/// At most kMaxViews of the places, evenly spread, including the first and the last.
std::vector<std::size_t> SampleViews(const std::vector<std::size_t>& places) {
  if (places.size() <= kMaxViews) return places;
  std::vector<std::size_t> some;
  for (std::size_t n = 0; n < kMaxViews; ++n) {
    some.push_back(places[n * (places.size() - 1) / (kMaxViews - 1)]);
  }
  return some;
}

/// A parameter of the sweep that is the axis of a chart, or that distinguishes its views.
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
  for (const std::size_t view : SampleViews(views.order)) {
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

/// The texts of a chart and the value that it shows.
struct ChartContent {
  std::string title;
  std::string caption;
  model::ChartAxis y;
  Measure measure;
};

model::Chart ByLoad(const SweepResults& results, ChartContent shown) {
  model::Chart chart;
  chart.title = std::move(shown.title);
  chart.caption = std::move(shown.caption);
  chart.view_title = "Cells a buffer";
  chart.x = {"load, cells an input and slot", false};
  chart.y = std::move(shown.y);
  chart.views = Views(results, Loads(results.Spec()), BufferSizes(results.Spec()), shown.measure);
  // The algorithms differ most at medium buffer sizes: small ones all lose the same, large ones
  // nothing.
  chart.shown_view = chart.views.size() / 2;
  return chart;
}

constexpr const char* kLossCaption = "Share of the arrived cells that met a full buffer.";

double LossPercent(const TaskResult& result) { return 100 * LossOf(result); }
double Delay99(const TaskResult& result) { return static_cast<double>(result.delay_p99); }

std::vector<model::Chart> AllByLoad(const SweepResults& results) {
  const double output_slots = static_cast<double>(results.Spec().ports) * results.Spec().slots;
  const auto throughput = [output_slots](const TaskResult& result) {
    return static_cast<double>(result.departed) / output_slots;
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
