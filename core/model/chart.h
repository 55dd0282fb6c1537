#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What a workload wants drawn of its result, as plain data: report.html draws it and knows nothing
/// of the workload.
namespace evenkeel::model {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

/// Points in the order in which they are joined, if they are.
struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  bool joined = true;  ///< whether lines join them
};

/// One set of series; of several in a chart the reader picks one.
struct ChartView {
  std::string name;
  std::vector<ChartSeries> series;
};

struct ChartAxis {
  std::string title;         ///< with the unit
  bool logarithmic = false;  ///< values that are not above 0 are not drawn then
};

struct Chart {
  std::string title;
  std::string caption;     ///< one sentence or two below it; may be empty
  std::string view_title;  ///< what the views differ in; not shown if there is one view
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartView> views;
  std::size_t shown_view = 0;  ///< the one that is shown until another is picked
};

/// A report stays small: what is beyond these numbers is left out of it. Of longer series every
/// n-th point is kept, the last one always.
inline constexpr std::size_t kMaxCharts = 8;
inline constexpr std::size_t kMaxChartViews = 16;
inline constexpr std::size_t kMaxChartSeries = 12;
inline constexpr std::size_t kMaxChartPoints = 256;

}  // namespace evenkeel::model
