#include "report/live_timeline.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "report/timeline.h"

namespace evenkeel::report {
namespace {

constexpr int kFullLevel = 15;
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// In fifteenths of the cell, rounded up to 1 if any.
unsigned Level(float busy, double whole) {
  if (busy <= 0) return 0;
  const int level = static_cast<int>(kFullLevel * static_cast<double>(busy) / whole + 0.5);
  return static_cast<unsigned>(std::clamp(level, 1, kFullLevel));
}

/// Moves are drawn only if there are no more lanes than this.
constexpr std::size_t kFewLanes = 16;

void EndList(std::string& out) {
  if (out.back() == ',') out.pop_back();
  out += ']';
}

}  // namespace

void LaneCells::MakeLanes(std::size_t lanes) {
  if (lanes <= lanes_.size()) return;
  lanes_.resize(lanes);
  // Even, so that pairs of cells can be merged.
  const std::size_t most = std::clamp(kCells / lanes, kFewestCells, kMostCells) & ~std::size_t{1};
  if (most == most_cells_) return;
  most_cells_ = most;
  const auto longest =
      std::max_element(lanes_.begin(), lanes_.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  while (longest->size() > most_cells_) DoubleStep();
}

void LaneCells::DoubleStep() {
  step_ *= 2;
  ++generation_;
  for (std::vector<Cell>& lane : lanes_) {
    for (std::size_t i = 0; i < lane.size(); ++i) {
      const Cell cell = lane[i];
      lane[i] = {};
      Cell& into = lane[i / 2];
      for (std::size_t kind = 0; kind < cell.busy.size(); ++kind)
        into.busy[kind] += cell.busy[kind];
      into.changed = std::max(into.changed, cell.changed);
    }
    lane.resize((lane.size() + 1) / 2);
  }
}

void LaneCells::MakeRoomFor(Duration end) {
  while (end >= step_ * static_cast<std::int64_t>(most_cells_)) DoubleStep();
}

void LaneCells::Add(std::size_t lane, const model::ResultRecord& record, Mark mark) {
  const Duration start = std::max(record.started, Duration::zero());
  const Duration end = std::max(record.ended, start);
  MakeRoomFor(end);
  std::vector<Cell>& cells = lanes_[lane];
  const auto first = static_cast<std::size_t>(start / step_);
  const auto last = static_cast<std::size_t>(end / step_);
  if (cells.size() <= last) cells.resize(last + 1);
  const double length = std::max(ToSeconds(end - start), 1e-9);
  for (std::size_t i = first; i <= last; ++i) {
    const Duration from = step_ * static_cast<std::int64_t>(i);
    const double part =
        first == last ? 1 : ToSeconds(std::min(end, from + step_) - std::max(start, from)) / length;
    cells[i].busy[static_cast<std::size_t>(record.kind)] +=
        static_cast<float>(part * ToSeconds(record.busy));
    cells[i].changed = mark;
  }
}

void LaneCells::Touch(std::size_t lane, Mark mark) {
  for (Cell& cell : lanes_[lane]) cell.changed = mark;
}

void LaneCells::Append(std::size_t lane, Mark since, std::uint32_t threads,
                       std::string& out) const {
  const std::vector<Cell>& cells = lanes_[lane];
  const auto first = std::find_if(cells.begin(), cells.end(),
                                  [since](const Cell& cell) { return cell.changed > since; });
  if (first == cells.end()) return;
  out += '[' + std::to_string(lane) + ',' + std::to_string(first - cells.begin()) + ",\"";
  const double whole = ToSeconds(step_) * std::max(threads, 1U);
  for (auto cell = first; cell != cells.end(); ++cell) {
    unsigned bits = 0;
    for (const float busy : cell->busy) bits = bits << 4 | Level(busy, whole);
    out += kDigits[bits >> 6];
    out += kDigits[bits & 63];
  }
  out += "\"],";
}

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
