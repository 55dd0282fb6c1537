#include "coordinator/live/live_rows.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

namespace evenkeel::coordinator {
namespace {

using Json = nlohmann::json;

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Five significant digits by default; 0 for infinities and NaN, which JSON does not have.
std::string Number(double value, const char* format = "%.5g") {
  if (!std::isfinite(value)) return "0";
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string FixedPart(const model::NodeSummary& node, std::uint32_t threads) {
  const std::string declared = node.declared_speed ? Number(*node.declared_speed) : "null";
  return '[' + Quoted(node.name) + ',' + std::to_string(node.Weight()) + ',' + Number(node.ratio) +
         ',' + Number(node.share) + ',' + std::to_string(threads) + ',' + declared + ']';
}

char StateOf(const engine::NodeProgress& node) {
  if (node.lost) return 'l';
  if (!node.connected) return 'a';
  return node.leased > 0 ? 'b' : 'i';
}

/// When the planned share would be done if nothing were moved.
double PredictedEnd(const engine::NodeProgress& node, const engine::Progress& progress) {
  const double left =
      node.share * static_cast<double>(progress.cost_total) - static_cast<double>(node.cost);
  if (left <= 0) return ToSeconds(node.last_end);
  return node.rate > 0 ? ToSeconds(progress.elapsed) + left / node.rate : 0;
}

std::string NowPart(const model::NodeSummary& node, const engine::NodeProgress* live,
                    const engine::Progress& progress) {
  const char state = live == nullptr ? 'l' : StateOf(*live);
  const double rate = live != nullptr && live->rate > 0 ? live->rate : node.mean_rate;
  return std::string("[\"") + state + "\"," + std::to_string(node.completed) + ',' +
         std::to_string(node.stolen_in) + ',' + std::to_string(node.stolen_out) + ',' +
         Number(node.busy_seconds, "%.1f") + ',' + Number(rate, "%.4g") + ',' +
         Number(ToSeconds(node.last_end), "%.2f") + ',' +
         Number(live == nullptr ? 0 : PredictedEnd(*live, progress), "%.1f") + ']';
}

}  // namespace

void LiveRows::Update(const model::RunSummary& summary, const engine::Progress& progress,
                      report::LiveTimeline& timeline) {
  std::unordered_map<std::string_view, const engine::NodeProgress*> live;
  for (const auto& node : progress.nodes) live.emplace(node.name, &node);
  const report::Mark mark = timeline.Now();
  const auto take = [mark](Part& part, std::string text) {
    if (part.text == text) return;
    part = {std::move(text), mark};
  };
  for (const auto& node : summary.nodes) {
    const std::size_t number = timeline.LaneOf(node.name);
    if (rows_.size() <= number) rows_.resize(number + 1);
    const auto found = live.find(node.name);
    const engine::NodeProgress* const now = found == live.end() ? nullptr : found->second;
    const std::uint32_t threads = now == nullptr ? 0 : now->threads;
    timeline.SetThreads(number, threads);
    take(rows_[number].fixed, FixedPart(node, threads));
    take(rows_[number].now, NowPart(node, now, progress));
  }
}

std::string LiveRows::Json(report::Mark since) const {
  std::string out = "[";
  for (std::size_t number = 0; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    const bool fixed = row.fixed.changed > since;
    const bool now = row.now.changed > since;
    if (!fixed && !now) continue;
    out += '[' + std::to_string(number) + ',' + (fixed ? row.fixed.text : "null") + ',' +
           (now ? row.now.text : "null") + "],";
  }
  if (out.back() == ',') out.pop_back();
  return out + ']';
}

}  // namespace evenkeel::coordinator
