#include "report/html_report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/report_command.h"
#include "report/assets.h"
#include "report/summary_json.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::report {
namespace {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The JSON between the tags of the page.
std::string EmbeddedData(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(HtmlReport, AssetsAreTheFilesByteForByte) {
  const std::filesystem::path folder = EVENKEEL_REPORT_ASSETS;
  EXPECT_EQ(assets::kPage, ReadAll(folder / "report.html"));
  EXPECT_EQ(assets::kStyle, ReadAll(folder / "report.css"));
  EXPECT_EQ(assets::kReport, ReadAll(folder / "report.js"));
  EXPECT_EQ(assets::kChartLibrary, ReadAll(EVENKEEL_CHART_LIBRARY));
}

TEST(HtmlReport, DataSurvivesWhateverTheNamesHold) {
  model::RunSummary summary;
  summary.job = "</script><!-- {{STYLE}} & \"";
  summary.seed = 18446744073709551615ULL;
  summary.result_json = R"({"big":9007199254740993,"text":"</script>","list":[1,2],)"
                        R"("table":{"a":1,"b":null,"c":"x"},"deep":{"a":{}}})";
  TimelineDigest digest({"<node>"});
  const auto data = PageData(summary, digest);
  ASSERT_TRUE(data);
  const std::string page = Page(summary.job, *data);

  const auto json = nlohmann::json::parse(EmbeddedData(page));
  EXPECT_EQ(json["summary"]["job"], summary.job);
  EXPECT_EQ(json["summary"]["seed"], "18446744073709551615");
  EXPECT_EQ(json["summary"]["result"][0], (nlohmann::json{"big", "9007199254740993"}));
  EXPECT_EQ(json["summary"]["result"][2], (nlohmann::json{"list", "[1,2]"}));
  EXPECT_EQ(json["summary"]["result"][3], (nlohmann::json{"table", "a 1, b –, c x"}));
  EXPECT_EQ(json["summary"]["result"][4], (nlohmann::json{"deep", R"({"a":{}})"}));
  EXPECT_EQ(json["charts"], nlohmann::json::array());
  EXPECT_EQ(json["timeline"]["workers"][0], "<node>");
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;!-- {{STYLE}} &amp; &quot; "), std::string::npos);
}

TEST(HtmlReport, BarsAndEventsReachThePage) {
  TimelineDigest digest({"a"});
  model::ResultRecord record;
  record.node = "a";
  record.started = std::chrono::microseconds(1234567);
  record.ended = std::chrono::seconds(2);
  record.busy = std::chrono::milliseconds(500);
  record.range = {3, 8};
  record.kind = model::RunKind::kCopy;
  digest.Add(record);
  model::TimelineEvent eta;
  eta.end = std::chrono::seconds(9);
  digest.Add(eta);
  const auto json = nlohmann::json::parse(PageData({}, digest).value());
  EXPECT_EQ(json["timeline"]["bars"],
            nlohmann::json::parse(R"([[0,0,"copy",1.234567,2.0,3,8,5,1,0.5]])"));
  EXPECT_EQ(json["timeline"]["events"][0]["kind"], "eta");
  EXPECT_EQ(json["timeline"]["progress"]["tasks"].back(), 5.0);
}

TEST(HtmlReport, SizeOfThePageIsBounded) {
  constexpr std::int64_t kRanges = 25'000;
  TimelineDigest digest({"a"});
  for (std::int64_t i = 0; i < kRanges; ++i) {
    model::ResultRecord record;
    record.node = "a";
    record.started = std::chrono::seconds(2 * i);
    record.ended = record.started + std::chrono::seconds(1);
    record.range = {2 * i, 2 * i + 1};
    digest.Add(record);
  }
  const auto json = nlohmann::json::parse(PageData({}, digest).value());
  EXPECT_EQ(json["timeline"]["ranges"], kRanges);
  EXPECT_FALSE(json["timeline"]["bars"].empty());
  EXPECT_LE(json["timeline"]["bars"].size(), 20'000);
}

TEST(HtmlReport, ThePageAsksForNothingFromOutside) {
  const std::string page = Page("job", "{}");
  for (const char* reference : {"<link rel=\"stylesheet\"", "<script src", "<img", "@import",
                                "sourceMappingURL", "url(http"}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(ReportCommand, WritesThePageAndPrintsItsPath) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteSummary(folder.Path() / "summary.json", {}));
  std::ofstream(folder.Path() / "timeline.jsonl") << "";
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::RunReportCommand(folder.Path(), out, err), 0);
  EXPECT_EQ(out.str(), (folder.Path() / "report.html").string() + "\n");
  EXPECT_EQ(err.str(), "");
  EXPECT_NE(ReadAll(folder.Path() / "report.html").find("</html>"), std::string::npos);
}

TEST(ReportCommand, RefusesAFolderWithoutARunInOneLine) {
  const TemporaryFolder folder;
  const auto message = [&](const std::filesystem::path& path) {
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(cli::RunReportCommand(path, out, err), 2);
    EXPECT_EQ(out.str(), "");
    EXPECT_FALSE(std::filesystem::exists(path / "report.html"));
    return err.str();
  };
  const std::string name = folder.Path().string();
  EXPECT_EQ(message(folder.Path() / "none"), "evenkeel: " + name + "/none: is no folder\n");
  EXPECT_EQ(message(folder.Path()), "evenkeel: " + name +
                                        ": holds no summary.json; the folder of "
                                        "a finished run is expected\n");
  std::ofstream(folder.Path() / "summary.json") << "{";
  std::ofstream(folder.Path() / "timeline.jsonl") << "";
  EXPECT_EQ(message(folder.Path()),
            "evenkeel: " + name + "/summary.json: is not JSON, or was cut off\n");
}

}  // namespace
}  // namespace evenkeel::report
