#include "report/chart_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::report {
namespace {

model::Chart Sample() {
  model::Chart chart;
  chart.title = "Loss by load";
  chart.caption = "A <caption>.";
  chart.view_title = "Buffer";
  chart.x = {"load", false};
  chart.y = {"lost, %", true};
  chart.shown_view = 1;
  chart.views = {{"1", {{"LQF", {{0.1, 2}, {1, 12.5}}, false}, {"RR", {}}}}, {"8", {}}};
  return chart;
}

TEST(ChartJson, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteCharts(folder.Path(), {Sample(), Sample()}));
  const auto read = ReadCharts(folder.Path());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(ChartsToJson(*read), ChartsToJson({Sample(), Sample()}));
  EXPECT_EQ((*read)[1].views[0].series[0].points[1].y, 12.5);
  EXPECT_EQ((*read)[1].shown_view, 1u);
  EXPECT_TRUE((*read)[1].y.logarithmic);
  EXPECT_FALSE((*read)[1].views[0].series[0].joined);
  EXPECT_TRUE((*read)[1].views[0].series[1].joined);
}

TEST(ChartJson, NoChartsMakeNoFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteCharts(folder.Path(), {}));
  EXPECT_FALSE(std::filesystem::exists(folder.Path() / "charts.json"));
  const auto read = ReadCharts(folder.Path());
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
}

TEST(ChartJson, StaysWithinItsBounds) {
  model::Chart chart;
  for (int n = 0; n < 1000; ++n) {
    if (chart.views.size() < 40) chart.views.push_back({std::to_string(n), {}});
    if (n < 40) chart.views[0].series.push_back({std::to_string(n), {}});
    chart.views[0].series[0].points.push_back({static_cast<double>(n), n / 3.0});
  }
  const Json json = ChartsToJson(std::vector<model::Chart>(20, chart));
  EXPECT_EQ(json.size(), model::kMaxCharts);
  const Json& views = json[0]["views"];
  EXPECT_EQ(views.size(), model::kMaxChartViews);
  EXPECT_EQ(views[0]["series"].size(), model::kMaxChartSeries);
  const Json& points = views[0]["series"][0]["points"];
  EXPECT_EQ(points.size(), 250u);
  EXPECT_EQ(points.back(), Json({999.0, 333.0}));
  EXPECT_EQ(points.front().dump(), "[3.0,1.0]");
  EXPECT_EQ(points[1].dump(), "[7.0,2.33333]");
}

TEST(ChartJson, AnythingElseIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string path = (folder.Path() / "charts.json").string();
  const std::string axes = R"("x":{"title":"a","logarithmic":false},"y":{"title":"b",)"
                           R"("logarithmic":false},"shownView":0,"caption":"",)"
                           R"("viewTitle":"","title":"t")";
  const auto complaint = [&](const std::string& text) {
    std::ofstream(path) << text;
    const auto read = ReadCharts(folder.Path());
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(complaint("[{" + axes + R"(,"views":[]}])"), "");
  EXPECT_EQ(complaint("[{"), path + ": is not a JSON list");
  EXPECT_EQ(complaint("[7]"), path + ": charts[0]: object expected");
  EXPECT_EQ(complaint("[{}]"), path + ": charts[0].title: missing");
  EXPECT_EQ(complaint("[{" + axes + "}]"), path + ": charts[0].views: missing");
  EXPECT_EQ(complaint("[{" + axes +
                      R"(,"views":[{"name":"v","series":[{"name":"s","joined":true,)"
                      R"("points":[[1,2],[3]]}]}]}])"),
            path + ": charts[0].views[0].series[0].points: pairs of numbers expected");
}

}  // namespace
}  // namespace evenkeel::report
