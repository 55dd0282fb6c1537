#include "report/live_timeline.h"

#include <cmath>
#include <utility>

#include "report/timeline.h"

namespace evenkeel::report {
namespace {

/// Moves are drawn only if there are no more lanes than this.
constexpr std::size_t kFewLanes = 16;

void EndList(std::string& out) {
  if (out.back() == ',') out.pop_back();
  out += ']';
}

}  // namespace

std::size_t LiveTimeline::LaneOf(const std::string& node) {
  const auto [found, is_new] = lane_of_.try_emplace(node, threads_.size());
  if (is_new) {
    threads_.push_back(0);
    cells_.MakeLanes(threads_.size());
  }
  return found->second;
}

void LiveTimeline::SetThreads(std::size_t lane, std::uint32_t threads) {
  if (threads == 0 || threads_[lane] == threads) return;
  threads_[lane] = threads;
  cells_.Touch(lane, mark_);
}

void LiveTimeline::Add(const model::ResultRecord& record) {
  cells_.Add(LaneOf(record.node), record, mark_);
  progress_.Add(record.started, record.ended, record.range.Size());
}

void LiveTimeline::Add(const model::TimelineEvent& event) {
  using Kind = model::TimelineEvent::Kind;
  if (event.kind == Kind::kMove && threads_.size() > kFewLanes) return;
  std::string text = TimelineLine(event);
  text.back() = ',';  // instead of the line break
  if (event.kind == Kind::kEta) {
    predictions_.push_back({mark_, std::move(text)});
    if (predictions_.size() <= kMostEvents) return;
    std::size_t number = 0;
    std::erase_if(predictions_, [&number](const Line&) { return number++ % 2 == 1; });
  } else {
    events_.push_back({mark_, std::move(text)});
    if (events_.size() > kMostEvents) events_.pop_front();
  }
}

void LiveTimeline::AppendNew(const std::deque<Line>& lines, Mark since, std::string& out) {
  for (const Line& line : lines) {
    if (line.mark > since) out += line.text;
  }
}

std::string LiveTimeline::Json(Mark since) const {
  std::string out = "{\"step\":" + std::to_string(ToSeconds(cells_.Step())) + ",\"lanes\":[";
  for (std::size_t lane = 0; lane < threads_.size(); ++lane) {
    cells_.Append(lane, since, threads_[lane], out);
  }
  EndList(out);
  out += ",\"events\":[";
  AppendNew(predictions_, since, out);
  AppendNew(events_, since, out);
  EndList(out);
  out += ",\"progress\":{\"step\":" + std::to_string(ToSeconds(progress_.Step())) + ",\"tasks\":[";
  for (const double tasks : progress_.Cumulative()) {
    out += std::to_string(std::llround(tasks)) + ',';
  }
  EndList(out);
  return out + "}}";
}

}  // namespace evenkeel::report
