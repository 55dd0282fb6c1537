#include "coordinator/live/live_feed.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "report/html_report.h"

namespace evenkeel::coordinator {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
  const std::string slot_limit = node.slots ? ',' + Dump(node.slots->limited_by) : "";
  return '[' + Dump(node.name) + ',' + std::to_string(node.Weight()) + ',' + Number(node.ratio) +
         ',' + Number(node.share) + ',' + std::to_string(threads) + ',' + declared + slot_limit +
         ']';
}

char StateOf(const engine::NodeProgress& node) {
  if (node.lost) return 'l';
  if (!node.connected) return 'a';
  if (node.runs_alone) return 'o';
  return node.leased > 0 ? 'b' : 'i';
}

/// When the planned share would be done if nothing were moved.
double PredictedEnd(const engine::NodeProgress& node, const engine::Progress& progress) {
  const double left =
      node.share * static_cast<double>(progress.cost_total) - static_cast<double>(node.cost);
  if (left <= 0) return ToSeconds(node.last_end);
  return node.rate > 0 ? ToSeconds(progress.elapsed) + left / node.rate : 0;
}

std::string RangesPart(const std::optional<model::RangeStatistics>& ranges) {
  if (!ranges) return {};
  return ",[" + Number(ranges->startup_seconds, "%.3g") + ',' +
         Number(ranges->per_task_seconds, "%.3g") + ',' + std::to_string(ranges->running) + ',' +
         std::to_string(ranges->cuttable) + ',' + std::to_string(ranges->cut) + ']';
}

/// Follows RangesPart. If there are no ranges, null stands in their place.
std::string DataPart(const model::NodeStatistics& node) {
  if (node.transfer.bytes == 0) return {};
  return std::string(node.ranges ? "" : ",null") + ",[" + Number(node.data_wait_seconds, "%.1f") +
         ',' + std::to_string(node.transfer.bytes) + ',' +
         Number(ToSeconds(node.transfer.time), "%.1f") + ']';
}

std::string NowPart(const model::NodeSummary& node, const engine::NodeProgress* live,
                    const engine::Progress& progress) {
  const char state = live == nullptr ? 'l' : StateOf(*live);
  const double rate = live != nullptr && live->rate > 0 ? live->rate : node.mean_rate;
  return std::string("[\"") + state + "\"," + std::to_string(node.completed) + ',' +
         std::to_string(node.stolen_in) + ',' + std::to_string(node.stolen_out) + ',' +
         Number(node.busy_seconds, "%.1f") + ',' + Number(rate, "%.4g") + ',' +
         Number(ToSeconds(node.last_end), "%.2f") + ',' +
         Number(live == nullptr ? 0 : PredictedEnd(*live, progress), "%.1f") +
         RangesPart(node.ranges) + DataPart(node) + ']';
}

constexpr Duration kInterval = std::chrono::seconds(1);
constexpr Duration kIntervalOfMany = std::chrono::seconds(2);
constexpr std::size_t kMany = 200;  // nodes
/// An answer that took 1 ms is followed by so many without one.
constexpr int kShareOfTime = 20;
constexpr Duration kMostDebt = std::chrono::seconds(10);
/// Until what was on its way to the journal when keeping began is certainly there.
constexpr Duration kJournalLag = std::chrono::milliseconds(500);

/// The mark in `since` if what it belongs to is kept still, otherwise 0.
report::Mark MarkIn(std::string_view since, const std::string& kept, report::Mark now) {
  if (!since.starts_with(kept)) return 0;
  since.remove_prefix(kept.size());
  report::Mark mark = 0;
  const auto read = std::from_chars(since.data(), since.data() + since.size(), mark);
  const bool whole = read.ec == std::errc() && read.ptr == since.data() + since.size();
  return whole && mark < now ? mark : 0;
}

std::string NowJson(const engine::Progress& progress) {
  Json now = {{"elapsedSeconds", ToSeconds(progress.elapsed)},
              {"progress", progress.cost_done_ratio},
              {"etaSeconds", Json()},
              {"etaSigmaSeconds", ToSeconds(progress.eta_sigma)}};
  if (progress.eta) now["etaSeconds"] = ToSeconds(*progress.eta);
  return Dump(now);
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

void LiveFeed::OnCounted(const model::ResultRecord& record) {
  if (!watched_) return;
  const std::lock_guard lock(mutex_);
  if (!kept_) return;
  kept_->timeline.Add(record);
  if (!kept_->caught_up && !kept_->received.Overlaps(record.range))
    kept_->received.Insert(record.range);
}

void LiveFeed::OnEvent(const model::TimelineEvent& event) {
  if (!watched_) return;
  const std::lock_guard lock(mutex_);
  // The journal has earlier events, perhaps also this one.
  if (!kept_ || !kept_->caught_up || event.start <= kept_->events_until) return;
  kept_->timeline.Add(event);
}

void LiveFeed::OnTick() {
  if (!watched_) return;
  const std::lock_guard lock(mutex_);
  if (clock_.Now() - last_look_ <= kForgetAfter) return;
  kept_.reset();
  watched_ = false;
}

void LiveFeed::Forget() {
  const std::lock_guard lock(mutex_);
  kept_.reset();
  watched_ = false;
}

Result<void> LiveFeed::CatchUp(const JournalReader& journal) {
  const auto ranges =
      journal.ForEachRange([this](const model::ResultRecord& record) -> Result<void> {
        const std::lock_guard lock(mutex_);
        if (!kept_) return Fail(ErrorCode::kUnavailable, "the run has ended");
        if (!kept_->received.Overlaps(record.range)) kept_->timeline.Add(record);
        return {};
      });
  if (!ranges) return ranges;
  const auto events =
      journal.ForEachEvent([this](const model::TimelineEvent& event) -> Result<void> {
        const std::lock_guard lock(mutex_);
        if (!kept_) return Fail(ErrorCode::kUnavailable, "the run has ended");
        kept_->timeline.Add(event);
        kept_->events_until = std::max(kept_->events_until, event.start);
        return {};
      });
  if (!events) return events;
  const std::lock_guard lock(mutex_);
  if (kept_) {
    kept_->caught_up = true;
    kept_->received = {};
  }
  return {};
}

Result<void> LiveFeed::WriteRun(const RunSnapshot& run, std::string_view since, std::string& out) {
  bool catch_up = false;
  {
    const std::lock_guard lock(mutex_);
    if (!kept_) {
      kept_.emplace().since = clock_.Now();
      watched_ = true;
    }
    catch_up = !kept_->caught_up && clock_.Now() - kept_->since >= kJournalLag;
  }
  if (catch_up) {
    if (const auto read = CatchUp(run.journal); !read) return read;
  }
  model::RunSummary head = run.summary;
  head.nodes.clear();
  const auto summary = report::SummaryForPage(head);
  if (!summary) return tl::unexpected(summary.error());

  const std::lock_guard lock(mutex_);
  if (!kept_) return Fail(ErrorCode::kUnavailable, "the run has ended");
  kept_->rows.Update(run.summary, run.progress, kept_->timeline);
  const std::string name = std::to_string(kept_->since.time_since_epoch().count()) + '.' +
                           std::to_string(kept_->timeline.Generation()) + '-';
  const report::Mark known = MarkIn(since, name, kept_->timeline.Now());
  out += ",\"at\":\"" + name + std::to_string(kept_->timeline.Advance()) +
         "\",\"whole\":" + (known == 0 ? "true" : "false") +
         ",\"caughtUp\":" + (kept_->caught_up ? "true" : "false") +
         ",\"now\":" + NowJson(run.progress) + ",\"summary\":" + *summary +
         ",\"nodes\":" + kept_->rows.Json(known) + ",\"timeline\":" + kept_->timeline.Json(known);
  return {};
}

Result<std::string> LiveFeed::Answer(const SnapshotSource& snapshots, const LiveState& state,
                                     std::string_view since) {
  const std::lock_guard one_at_a_time(answer_mutex_);
  const Instant begun = clock_.Now();
  if (free_at_ - begun > kMostDebt) {
    return Fail(ErrorCode::kUnavailable, "too many look at this job; ask again in some seconds");
  }
  std::size_t nodes = 0;
  {
    const std::lock_guard lock(mutex_);
    last_look_ = begun;
    if (kept_) nodes = kept_->timeline.Lanes();
  }
  std::string out = "{\"job\":" + Dump(Json(state.job)) + ",\"state\":" + Dump(Json(state.state)) +
                    ",\"reason\":" + Dump(Json(state.reason)) +
                    ",\"over\":" + (state.over ? "true" : "false");
  const auto visited =
      snapshots.WithSnapshot([&](const RunSnapshot& run) { return WriteRun(run, since, out); });
  if (!visited && visited.error().code != ErrorCode::kUnavailable) {
    return tl::unexpected(visited.error());
  }
  const Instant now = clock_.Now();
  free_at_ = std::max(free_at_, now) + (now - begun) * kShareOfTime;
  const Duration again = std::max(free_at_ - now, nodes > kMany ? kIntervalOfMany : kInterval);
  return out + ",\"againSeconds\":" + std::to_string(ToSeconds(again)) + "}\n";
}

}  // namespace evenkeel::coordinator
