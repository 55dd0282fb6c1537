#include "cli/lane_recorder.h"

#include <algorithm>

namespace evenkeel::cli {

simulator::Recorder LaneRecorder::Recorder() {
  simulator::Recorder recorder;
  recorder.on_result = [this](const model::ResultRecord& record) { Add(record); };
  recorder.on_event = [this](const model::TimelineEvent& event) { Add(event); };
  return recorder;
}

void LaneRecorder::Add(const report::TimelineEntry& entry) {
  if (const auto* event = std::get_if<model::TimelineEvent>(&entry)) {
    if (event->kind == model::TimelineEvent::Kind::kEta) return;  // the page does not draw them
    if (event->kind == model::TimelineEvent::Kind::kMove) {
      figures_[event->from_node].stolen_out += event->tasks;
    }
  } else {
    const auto& record = std::get<model::ResultRecord>(entry);
    Duration& last = figures_[record.node].last_end;
    last = std::max(last, record.ended);
  }
  digest_.Add(entry);
}

LaneRecorder::NodeFigures LaneRecorder::Of(const std::string& node) const {
  const auto known = figures_.find(node);
  return known == figures_.end() ? NodeFigures{} : known->second;
}

}  // namespace evenkeel::cli
