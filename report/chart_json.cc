#include "report/chart_json.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "platform/files.h"

namespace evenkeel::report {
namespace {

using model::Chart;
using model::ChartAxis;
using model::ChartPoint;
using model::ChartSeries;
using model::ChartView;

constexpr std::size_t kMaxBytes = std::size_t{32} << 20;

double SixDigits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return std::strtod(text, nullptr);
}

template <typename Items, typename ToJson>
Json First(const Items& items, std::size_t most, ToJson to_json) {
  Json out = Json::array();
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) out.push_back(to_json(items[i]));
  return out;
}

Json PointsToJson(const std::vector<ChartPoint>& points) {
  Json out = Json::array();
  const std::size_t stride = (points.size() + model::kMaxChartPoints - 1) / model::kMaxChartPoints;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if ((points.size() - 1 - i) % stride != 0) continue;
    out.push_back({SixDigits(points[i].x), SixDigits(points[i].y)});
  }
  return out;
}

Json ViewToJson(const ChartView& view) {
  return {{"name", view.name},
          {"series", First(view.series, model::kMaxChartSeries, [](const ChartSeries& series) {
             return Json{{"name", series.name},
                         {"joined", series.joined},
                         {"points", PointsToJson(series.points)}};
           })}};
}

Json AxisToJson(const ChartAxis& axis) {
  return {{"title", axis.title}, {"logarithmic", axis.logarithmic}};
}

Json ChartToJson(const Chart& chart) {
  return {{"title", chart.title},
          {"caption", chart.caption},
          {"viewTitle", chart.view_title},
          {"shownView", chart.shown_view},
          {"x", AxisToJson(chart.x)},
          {"y", AxisToJson(chart.y)},
          {"views", First(chart.views, model::kMaxChartViews, ViewToJson)}};
}

/// Calls `read` for each object of the list in `field`.
template <typename Item, typename ReadItem>
void ReadList(JsonReader& reader, const char* field, const std::string& where, std::string& problem,
              std::vector<Item>& out, ReadItem read) {
  const Json* list = reader.Child(field, Json::value_t::array);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size() && problem.empty(); ++i) {
    const std::string there = where + "." + field + "[" + std::to_string(i) + "]";
    if (!(*list)[i].is_object()) {
      problem = there + ": object expected";
      return;
    }
    out.push_back(read((*list)[i], there, problem));
  }
}

std::optional<ChartPoint> ReadPoint(const Json& point) {
  const bool pair =
      point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number();
  if (!pair) return std::nullopt;
  return ChartPoint{point[0].get<double>(), point[1].get<double>()};
}

ChartSeries ReadSeries(const Json& object, const std::string& where, std::string& problem) {
  ChartSeries series;
  JsonReader reader(object, where, problem);
  reader.Read("name", series.name);
  reader.Read("joined", series.joined);
  const Json* points = reader.Child("points", Json::value_t::array);
  if (points == nullptr) return series;
  for (const Json& item : *points) {
    const auto point = ReadPoint(item);
    if (!point) {
      reader.Complain("points", "pairs of numbers expected");
      break;
    }
    series.points.push_back(*point);
  }
  return series;
}

ChartView ReadView(const Json& object, const std::string& where, std::string& problem) {
  ChartView view;
  JsonReader reader(object, where, problem);
  reader.Read("name", view.name);
  ReadList(reader, "series", where, problem, view.series, ReadSeries);
  return view;
}

ChartAxis ReadAxis(JsonReader& chart, const char* field, const std::string& where,
                   std::string& problem) {
  ChartAxis axis;
  const Json* object = chart.Child(field, Json::value_t::object);
  if (object == nullptr) return axis;
  JsonReader reader(*object, where + "." + field, problem);
  reader.Read("title", axis.title);
  reader.Read("logarithmic", axis.logarithmic);
  return axis;
}

Chart ReadChart(const Json& object, const std::string& where, std::string& problem) {
  Chart chart;
  JsonReader reader(object, where, problem);
  reader.Read("title", chart.title);
  reader.Read("caption", chart.caption);
  reader.Read("viewTitle", chart.view_title);
  std::int64_t shown_view = 0;
  reader.Read("shownView", shown_view);
  chart.shown_view = static_cast<std::size_t>(std::max<std::int64_t>(shown_view, 0));
  chart.x = ReadAxis(reader, "x", where, problem);
  chart.y = ReadAxis(reader, "y", where, problem);
  ReadList(reader, "views", where, problem, chart.views, ReadView);
  return chart;
}

Result<std::vector<Chart>> ChartsFromJson(const std::string& text) {
  const Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return InvalidInput("is not a JSON list");
  const Json top = {{"charts", list}};
  std::string problem;
  std::vector<Chart> charts;
  JsonReader reader(top, "", problem);
  ReadList(reader, "charts", "", problem, charts, ReadChart);
  if (!problem.empty()) return InvalidInput(problem.substr(problem.find("charts")));
  return charts;
}

std::filesystem::path PathIn(const std::filesystem::path& folder) { return folder / "charts.json"; }

}  // namespace

Json ChartsToJson(const std::vector<Chart>& charts) {
  return First(charts, model::kMaxCharts, ChartToJson);
}

Result<void> WriteCharts(const std::filesystem::path& folder, const std::vector<Chart>& charts) {
  if (charts.empty()) return {};
  const Json json = ChartsToJson(charts);
  return platform::WriteFileAtomically(
      PathIn(folder), json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<std::vector<Chart>> ReadCharts(const std::filesystem::path& folder) {
  const std::filesystem::path path = PathIn(folder);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::vector<Chart>{};
  const auto text = platform::ReadRegularFile(path, kMaxBytes);
  if (!text) return tl::unexpected(text.error());
  auto charts = ChartsFromJson(*text);
  if (!charts) return InvalidInput(path.string() + ": " + charts.error().message);
  return charts;
}

}  // namespace evenkeel::report
