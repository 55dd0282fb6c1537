#include "report/timeline_data.h"

#include <cmath>
#include <utility>
#include <vector>

#include "report/json_reader.h"
#include "report/timeline.h"

namespace evenkeel::report {
namespace {

double Seconds(Duration duration) {
  return static_cast<double>((duration.count() + 500) / 1000) / 1e6;
}

}  // namespace

std::string TimelineData(const TimelineDigest& digest) {
  Json bars = Json::array();
  for (const TimelineBar& bar : digest.Bars()) {
    bars.push_back({bar.worker, bar.track, KindName(bar.kind), Seconds(bar.start), Seconds(bar.end),
                    bar.range.begin, bar.range.end, bar.tasks, bar.ranges, Seconds(bar.busy)});
  }
  Json events = Json::array();
  for (const model::TimelineEvent& event : digest.Events()) {
    events.push_back(Json::parse(TimelineLine(event)));
  }
  std::vector<double> progress = digest.Progress().Cumulative();
  for (double& tasks : progress) tasks = std::round(tasks * 10) / 10;
  const Json data = {
      {"workers", digest.Workers()},
      {"tracks", digest.Tracks()},
      {"bars", std::move(bars)},
      {"events", std::move(events)},
      {"progress", {{"step", ToSeconds(digest.Progress().Step())}, {"tasks", progress}}},
      {"ranges", digest.RangeCount()},
      {"eventCount", digest.EventCount()},
      {"hiddenPause", Seconds(digest.HiddenPause())}};
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evenkeel::report
