#pragma once

#include <string_view>

/// The files of report/assets and the chart library, embedded at build time.
namespace evenkeel::report::assets {

extern const std::string_view kHead;          ///< head.html, in every page
extern const std::string_view kMark;          ///< mark.svg, likewise
extern const std::string_view kPage;          ///< report.html, with {{NAME}} in place of parts
extern const std::string_view kStyle;         ///< report.css
extern const std::string_view kChartLibrary;  ///< Chart.js
extern const std::string_view kFormat;        ///< format.js
extern const std::string_view kLanes;         ///< lanes.js
extern const std::string_view kLanesPaint;    ///< lanes_paint.js
extern const std::string_view kLanesCells;    ///< lanes_cells.js
extern const std::string_view kLanesInput;    ///< lanes_input.js
extern const std::string_view kLegend;        ///< legend.js
extern const std::string_view kCharts;        ///< charts.js
extern const std::string_view kResultCharts;  ///< result_charts.js
extern const std::string_view kNodes;         ///< nodes.js
extern const std::string_view kTasks;         ///< tasks.js
extern const std::string_view kReport;        ///< report.js
extern const std::string_view kLiveData;      ///< live_data.js
extern const std::string_view kPoller;        ///< poller.js, in live pages
extern const std::string_view kLive;          ///< live.js

extern const std::string_view kSimulationPage;   ///< simulation.html, likewise
extern const std::string_view kSimulationStyle;  ///< simulation.css, after report.css
extern const std::string_view kSimulation;       ///< simulation.js

extern const std::string_view kBoardsPage;   ///< boards.html, with {{NAME}} in place of parts
extern const std::string_view kBoardsStyle;  ///< boards.css, after report.css
extern const std::string_view kBoards;       ///< boards.js

}  // namespace evenkeel::report::assets
