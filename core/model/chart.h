#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Charts of a workload's result as plain data. report.html draws them without knowing the
/// workload.
namespace evenkeel::model {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

/// Points in drawing order.
struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  bool joined = true;  ///< lines connect the points
};

/// One set of series. If a chart has several, the reader selects one.
struct ChartView {
  std::string name;
  std::vector<ChartSeries> series;
};

struct ChartAxis {
  std::string title;         ///< with the unit
  bool logarithmic = false;  ///< then values <= 0 are not drawn
};

struct Chart {
  std::string title;
  std::string caption;     ///< one or two sentences below the chart; may be empty
  std::string view_title;  ///< label of the selection; not shown if there is one view
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartView> views;
  std::size_t shown_view = 0;  ///< index of the view that is selected first
};

/// Limits that keep a report small. More charts, views and series are left out. Longer series keep
/// every n-th point and the last one.
inline constexpr std::size_t kMaxCharts = 8;
inline constexpr std::size_t kMaxChartViews = 16;
inline constexpr std::size_t kMaxChartSeries = 12;
inline constexpr std::size_t kMaxChartPoints = 256;

}  // namespace evenkeel::model
