#include "coordinator/live/live_feed.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/html_report.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kInterval = std::chrono::seconds(1);
constexpr Duration kIntervalOfMany = std::chrono::seconds(2);
constexpr std::size_t kMany = 200;  // nodes
/// An answer that took 1 ms is followed by so many without one.
constexpr int kShareOfTime = 20;
constexpr Duration kMostDebt = std::chrono::seconds(10);
/// Until what was on its way to the journal when keeping began is certainly there.
constexpr Duration kJournalLag = std::chrono::milliseconds(500);

using Json = nlohmann::json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

void LiveFeed::OnCounted(const model::ResultRecord& record) {
  if (!watched_) return;
  const std::lock_guard lock(mutex_);
  if (!kept_) return;
  kept_->timeline.Add(record);
  if (!kept_->caught_up && !kept_->told.Overlaps(record.range)) kept_->told.Insert(record.range);
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
        if (!kept_->told.Overlaps(record.range)) kept_->timeline.Add(record);
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
    kept_->told = {};
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
