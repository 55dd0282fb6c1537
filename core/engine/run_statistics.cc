#include "core/engine/run_statistics.h"

#include <algorithm>
#include <utility>

#include "core/engine/completion_policy.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

using model::TimelineEvent;
using scheduling::WorkerId;

namespace {

constexpr int kPredictionsPerDoubling = 64;
constexpr Duration kShortestPredictionStep = std::chrono::milliseconds(20);
// Part of a worker's planned share after which the end of the share is predicted.
constexpr double kPredictedAfter = 0.1;

}  // namespace

void RunStatistics::AddNode(const std::string& name, double ratio,
                            const std::optional<model::NodePower>& power) {
  NodeFigures node;
  node.figures.name = name;
  node.figures.ratio = ratio;
  node.figures.power = power;
  nodes_.push_back(std::move(node));
}

void RunStatistics::AddRun(WorkerId worker, model::Cost cost, double busy_seconds) {
  NodeFigures& node = nodes_[worker.value];
  node.run_cost += static_cast<double>(cost);
  node.run_seconds += busy_seconds;
}

void RunStatistics::CountFailedAttempt(model::TaskIndex index, const std::string& node,
                                       std::string_view reason, bool out_of_memory) {
  ++failed_attempts_.total;
  if (out_of_memory) ++failed_attempts_.out_of_memory;
  failed_attempts_.latest = QuoteFailedAttempt(index, node, reason);
}

void RunStatistics::NoteTaskStarted(Instant started) {
  if (!first_task_ || started < *first_task_) first_task_ = started;
}

void RunStatistics::AddCompleted(WorkerId worker, std::int64_t tasks, model::Cost cost,
                                 Duration ended) {
  completed_cost_ += cost;
  NodeProgress& node = Node(worker);
  node.completed += tasks;
  node.cost += cost;
  node.last_end = std::max(node.last_end, ended);
}

void RunStatistics::Revoke(WorkerId worker, model::Cost cost) {
  completed_cost_ -= cost;
  NodeProgress& node = Node(worker);
  node.completed = 0;
  node.cost = 0;
  AddWasted(node.busy_seconds);
}

void RunStatistics::PredictShareEnd(WorkerId worker, model::Cost planned, double rate,
                                    Instant now) {
  NodeProgress& node = Node(worker);
  if (node.predicted_end != Duration::zero() || planned <= 0) return;
  const auto done = static_cast<double>(node.cost);
  if (done < kPredictedAfter * static_cast<double>(planned)) return;
  const double left = std::max(static_cast<double>(planned) - done, 0.0);
  node.predicted_end = JobTime(now) + scheduling::PredictedTime(left / rate);
}

void RunStatistics::NoteDurable(Duration at) { last_durable_ = std::max(last_durable_, at); }

void RunStatistics::RecordNodeEvent(TimelineEvent::Kind kind, WorkerId worker, Instant at,
                                    const std::string& detail) {
  TimelineEvent event;
  event.kind = kind;
  event.start = event.end = JobTime(at);
  event.node = Node(worker).name;
  event.detail = detail;
  events_.push_back(std::move(event));
}

void RunStatistics::RecordReservedMove(WorkerId from, WorkerId to, std::int64_t tasks, Instant at) {
  ++moves_.reserved;
  TimelineEvent event;
  event.kind = TimelineEvent::Kind::kMove;
  event.start = event.end = JobTime(at);
  event.node = Node(to).name;
  event.from_node = Node(from).name;
  event.tasks = tasks;
  event.detail = "reserved";
  events_.push_back(std::move(event));
}

void RunStatistics::RecordLeasedMove(WorkerId from, std::optional<WorkerId> to, std::int64_t tasks,
                                     Instant at) {
  ++moves_.leased;
  ++nodes_[from.value].leased_moves;
  TimelineEvent event;
  event.kind = TimelineEvent::Kind::kMove;
  event.start = event.end = JobTime(at);
  if (to) event.node = Node(*to).name;
  event.from_node = Node(from).name;
  event.tasks = tasks;
  event.detail = "leased";
  events_.push_back(std::move(event));
}

bool RunStatistics::PredictionDue(Instant now) const {
  const Duration time = JobTime(now);
  const Duration step = std::max(time / kPredictionsPerDoubling, kShortestPredictionStep);
  return time - prediction_recorded_ >= step;
}

void RunStatistics::RecordPrediction(Instant now, Duration left, Duration sigma) {
  const Duration time = JobTime(now);
  prediction_recorded_ = time;
  eta_spread_.Note(ToSeconds(time + left), ToSeconds(left));
  TimelineEvent event;
  event.kind = TimelineEvent::Kind::kEta;
  event.start = time;
  event.end = time + left;
  event.sigma = sigma;
  events_.push_back(std::move(event));
}

std::vector<TimelineEvent> RunStatistics::TakeEvents() { return std::exchange(events_, {}); }

Progress RunStatistics::Snapshot(Instant now) const {
  Progress progress;
  progress.elapsed = JobTime(now);
  progress.startup = first_task_ ? *first_task_ - start_ : Duration::zero();
  progress.last_durable = last_durable_;
  progress.wasted_seconds = wasted_seconds_;
  progress.messages = messages_;
  progress.moves = moves_;
  progress.recalls_failed = recalls_failed_;
  progress.failed_attempts = failed_attempts_;
  for (const NodeFigures& node : nodes_) {
    progress.nodes.push_back(node.figures);
    if (node.run_seconds <= 0) continue;
    progress.nodes.back().mean_rate =
        node.run_cost / node.run_seconds * static_cast<double>(node.figures.threads);
  }
  return progress;
}

}  // namespace evenkeel::engine
