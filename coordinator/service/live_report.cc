#include "coordinator/service/live_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "coordinator/run_results.h"
#include "report/html_report.h"
#include "report/summary_json.h"
#include "report/timeline_digest.h"

namespace evenkeel::coordinator {
namespace {

constexpr Duration kLeastAge = std::chrono::seconds(1);
constexpr int kShareOfTime = 10;

Result<std::string> DrawPage(const RunSnapshot& run) {
  std::vector<std::string> names;
  for (const auto& node : run.summary.nodes) names.push_back(node.name);
  report::TimelineDigest digest(names);
  const auto read =
      run.journal
          .ForEachRange([&](const model::ResultRecord& record) -> Result<void> {
            digest.Add(record);
            return {};
          })
          .and_then([&] {
            return run.journal.ForEachEvent([&](const model::TimelineEvent& event) -> Result<void> {
              digest.Add(event);
              return {};
            });
          });
  if (!read) return tl::unexpected(read.error());
  const auto data = report::PageData(run.summary, std::move(digest));
  if (!data) return data;
  return report::Page(run.summary.job, *data);
}

}  // namespace

bool LiveReport::Fresh(const Made& made) const {
  return made.ever && clock_.Now() - made.at < std::max(kLeastAge, made.took * kShareOfTime);
}

void LiveReport::Note(Instant begun, Made& made) const {
  made.at = clock_.Now();
  made.took = made.at - begun;
  made.ever = true;
}

Result<std::string> LiveReport::Html() {
  const std::lock_guard lock(html_mutex_);
  if (Fresh(html_made_)) return html_;
  const Instant begun = clock_.Now();
  const auto drawn = snapshots_.WithSnapshot([this](const RunSnapshot& run) {
    auto page = DrawPage(run);
    if (!page) return Result<void>(tl::unexpected(page.error()));
    html_ = std::move(*page);
    return Result<void>();
  });
  if (!drawn) return tl::unexpected(drawn.error());
  Note(begun, html_made_);
  return html_;
}

Result<std::string> LiveReport::Summary() const {
  std::string text;
  const auto done = snapshots_.WithSnapshot([&text](const RunSnapshot& run) {
    auto json = report::SummaryToJson(run.summary);
    if (!json) return Result<void>(tl::unexpected(json.error()));
    text = std::move(*json);
    return Result<void>();
  });
  if (!done) return tl::unexpected(done.error());
  return text;
}

Result<void> LiveReport::RefreshTimeline() {
  const std::lock_guard lock(timeline_mutex_);
  if (Fresh(timeline_made_)) return {};
  const Instant begun = clock_.Now();
  auto written = snapshots_.WithSnapshot(
      [this](const RunSnapshot& run) { return WriteTimeline(run.journal, folder_); });
  if (written) Note(begun, timeline_made_);
  return written;
}

}  // namespace evenkeel::coordinator
