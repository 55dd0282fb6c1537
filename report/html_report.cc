#include "report/html_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "platform/files.h"
#include "report/assets.h"
#include "report/chart_json.h"
#include "report/json_reader.h"
#include "report/summary_json.h"
#include "report/timeline.h"

namespace evenkeel::report {
namespace {

constexpr std::size_t kMaxBars = 20000;
constexpr std::size_t kMaxEvents = 1000;  // of each kind

/// Escapes text between tags and in quoted attributes.
std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Escapes '<' in JSON, which has it in strings only, so that it cannot end a script or open a
/// comment.
std::string EscapeForScript(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// Replaces each {{NAME}} of the page by the part of this name. Parts are not expanded again.
std::string FillIn(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string out;
  while (true) {
    const std::size_t open = page.find("{{");
    out += page.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    for (const auto& [part, text] : parts) {
      if (part == name) out += text;
    }
    page.remove_prefix(close + 2);
  }
}

std::string TextOfScalar(const Json& value) {
  if (value.is_null()) return "–";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "a 1, b –" for an object of scalars, else the value itself.
std::string TextOf(const Json& value) {
  const bool table =
      value.is_object() &&
      std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_primitive(); });
  if (!table) return TextOfScalar(value);
  std::string text;
  for (const auto& [name, entry] : value.items()) {
    text += (text.empty() ? "" : ", ") + name + " " + TextOfScalar(entry);
  }
  return text;
}

/// Text as the page shows it: JavaScript would round whole numbers beyond 2^53.
Json ResultForPage(const Json& result) {
  Json out = Json::array();
  for (const auto& [name, value] : result.items()) out.push_back({name, TextOf(value)});
  return out;
}

Result<Json> ShownSummary(const model::RunSummary& summary) {
  const auto text = SummaryToJson(summary);
  if (!text) return tl::unexpected(text.error());
  Json shown = Json::parse(*text);
  shown["seed"] = std::to_string(summary.seed);
  shown["result"] = ResultForPage(shown["result"]);
  return shown;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// `connect` is the connect-src of the page: 'none' or 'self'.
std::string FilledPage(std::string_view title, std::string_view data, std::string_view connect) {
  const std::string safe_title = EscapeHtml(title);
  const std::string safe_data = EscapeForScript(data);
  return FillIn(assets::kPage, {{"TITLE", safe_title},
                                {"HEAD", assets::kHead},
                                {"MARK", assets::kMark},
                                {"STYLE", assets::kStyle},
                                {"CONNECT", connect},
                                {"DATA", safe_data},
                                {"CHART_LIBRARY", assets::kChartLibrary},
                                {"FORMAT", assets::kFormat},
                                {"LANES", assets::kLanes},
                                {"LANES_PAINT", assets::kLanesPaint},
                                {"LANES_CELLS", assets::kLanesCells},
                                {"LANES_INPUT", assets::kLanesInput},
                                {"CHARTS", assets::kCharts},
                                {"RESULT_CHARTS", assets::kResultCharts},
                                {"LEGEND", assets::kLegend},
                                {"NODES", assets::kNodes},
                                {"TASKS", assets::kTasks},
                                {"REPORT", assets::kReport},
                                {"LIVE_DATA", assets::kLiveData},
                                {"POLLER", assets::kPoller},
                                {"LIVE", assets::kLive}});
}

}  // namespace

Result<std::string> SummaryForPage(const model::RunSummary& summary) {
  const auto shown = ShownSummary(summary);
  if (!shown) return tl::unexpected(shown.error());
  return Dump(*shown);
}

Result<std::string> PageData(const model::RunSummary& summary, TimelineDigest digest,
                             const std::vector<model::Chart>& charts) {
  auto shown = ShownSummary(summary);
  if (!shown) return tl::unexpected(shown.error());
  digest.Condense(kMaxBars, kMaxEvents);
  return Dump({{"summary", std::move(*shown)},
               {"timeline", Json::parse(TimelineData(digest))},
               {"charts", ChartsToJson(charts)}});
}

std::string Page(std::string_view title, std::string_view data) {
  return FilledPage(title, data, "'none'");
}

std::string LivePage(std::string_view title) {
  return FilledPage(title, R"({"live":true})", "'self'");
}

std::string BoardsPage() {
  return FillIn(assets::kBoardsPage, {{"HEAD", assets::kHead},
                                      {"MARK", assets::kMark},
                                      {"STYLE", assets::kStyle},
                                      {"BOARDS_STYLE", assets::kBoardsStyle},
                                      {"FORMAT", assets::kFormat},
                                      {"POLLER", assets::kPoller},
                                      {"BOARDS", assets::kBoards}});
}

Result<std::filesystem::path> WriteReport(const std::filesystem::path& folder) {
  const auto summary = ReadSummary(folder / "summary.json");
  if (!summary) return tl::unexpected(summary.error());

  std::vector<std::string> workers;
  for (const model::NodeSummary& node : summary->nodes) workers.push_back(node.name);
  TimelineDigest digest(workers);
  const auto read = ReadTimeline(folder / "timeline.jsonl",
                                 [&](const TimelineEntry& entry) { digest.Add(entry); });
  if (!read) return tl::unexpected(read.error());

  const auto charts = ReadCharts(folder);
  if (!charts) return tl::unexpected(charts.error());
  const auto data = PageData(*summary, std::move(digest), *charts);
  if (!data) return tl::unexpected(data.error());
  std::filesystem::path path = folder / "report.html";
  if (auto written = platform::WriteFileAtomically(path, Page(summary->job, *data)); !written) {
    return tl::unexpected(written.error());
  }
  return path;
}

std::string SimulationPage(std::string_view title, std::string_view data) {
  const std::string safe_title = EscapeHtml(title);
  const std::string safe_data = EscapeForScript(data);
  return FillIn(assets::kSimulationPage, {{"TITLE", safe_title},
                                          {"HEAD", assets::kHead},
                                          {"MARK", assets::kMark},
                                          {"STYLE", assets::kStyle},
                                          {"SIMULATION_STYLE", assets::kSimulationStyle},
                                          {"DATA", safe_data},
                                          {"FORMAT", assets::kFormat},
                                          {"LANES", assets::kLanes},
                                          {"LANES_PAINT", assets::kLanesPaint},
                                          {"LANES_INPUT", assets::kLanesInput},
                                          {"LEGEND", assets::kLegend},
                                          {"NODES", assets::kNodes},
                                          {"SIMULATION", assets::kSimulation}});
}

}  // namespace evenkeel::report
