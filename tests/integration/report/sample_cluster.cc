#include "tests/integration/report/sample_cluster.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace evenkeel::testing {
namespace {

using model::IndexRange;
using model::RunKind;
using model::TimelineEvent;

constexpr double kSlowdownAt = 16;
constexpr double kMasterAt = 27;
constexpr double kNever = 1e9;

/// Of trial division, a task's cost grows with its index; here simply linearly.
double Cost(IndexRange range) {
  const auto below = [](double n) { return n * (n + 1) / 2; };
  return below(static_cast<double>(range.end)) - below(static_cast<double>(range.begin));
}

std::int64_t Portion(double fraction, std::int64_t whole) {
  return std::llround(fraction * static_cast<double>(whole));
}

}  // namespace

SampleCluster::SampleCluster(std::int64_t nodes, std::int64_t tasks, double report_seconds,
                             bool stages)
    : report_seconds_(report_seconds), stages_(stages) {
  MakeNodes(nodes);
  unit_seconds_ = kSampleSeconds * TotalSpeed() / Cost({0, tasks});
  Plan(tasks);
}

void SampleCluster::Run() {
  while (SampleNode* node = NextNode()) {
    if (stages_ && node == &nodes_.front() && node->free_at > kMasterAt) {
      BecomeMaster(*node);
    } else if (node->queue.empty() && !Move(*LatestNode(), *node, node->free_at)) {
      node->free_at = kNever;
    } else {
      RunSome(*node);
      if (node->free_at >= next_look_ && node->free_at < kSampleSeconds) Look(node->free_at);
    }
  }
  if (stages_) AddStages();
}

void SampleCluster::MakeNodes(std::int64_t count) {
  struct Board {
    const char* name;
    double guessed;
    double speed;
  };
  constexpr std::array kTrio = {Board{"pi4-a", 4.253, 0.40}, Board{"pi4-b", 4.297, 0.41},
                                Board{"pi3", 1.0, 0.0937}};
  for (std::int64_t i = 0; i < count; ++i) {
    SampleNode& node = nodes_.emplace_back();
    node.slows = i == 1;
    if (count <= 3) {
      const Board& board = kTrio[static_cast<std::size_t>(i)];
      node.name = board.name;
      node.guessed = board.guessed;
      node.speed = board.speed;
    } else {
      node.name = "node-" + std::to_string(i + 1);
      node.guessed = rng_.Uniform(1, 4.3);
      node.speed = node.guessed * rng_.Uniform(0.075, 0.11);
    }
  }
}

/// Contiguous shares of the cost, as weighed.
void SampleCluster::Plan(std::int64_t tasks) {
  double total = 0;
  for (const SampleNode& node : nodes_) total += node.guessed;
  double before = 0;
  std::int64_t begin = 0;
  for (SampleNode& node : nodes_) {
    before += node.guessed / total;
    const bool last = &node == &nodes_.back();
    const std::int64_t end = last ? tasks : Portion(std::sqrt(before), tasks);
    if (end > begin) node.queue.push_back({{begin, end}, RunKind::kPlanned});
    node.summary.share = node.guessed / total;
    begin = end;
  }
}

double SampleCluster::TotalSpeed() const {
  double total = 0;
  for (const SampleNode& node : nodes_) total += node.speed;
  return total;
}

double SampleCluster::SpeedNow(const SampleNode& node) const {
  return node.slows && node.free_at > kSlowdownAt ? 0.8 * node.speed : node.speed;
}

double SampleCluster::Seconds(const SampleNode& node, IndexRange range) const {
  return Cost(range) * unit_seconds_ / SpeedNow(node);
}

double SampleCluster::PredictedEnd(const SampleNode& node) const {
  double end = node.free_at < kNever ? node.free_at : 0;
  for (const SampleNode::Part& part : node.queue) end += Seconds(node, part.range);
  return end;
}

SampleNode* SampleCluster::NextNode() {
  const auto first = std::min_element(
      nodes_.begin(), nodes_.end(),
      [](const SampleNode& a, const SampleNode& b) { return a.free_at < b.free_at; });
  return first->free_at < kNever ? &*first : nullptr;
}

/// The node with the latest predicted finish among those with tasks to move.
SampleNode* SampleCluster::LatestNode() {
  const auto end = [this](const SampleNode& node) {
    const bool gives = !node.queue.empty() && node.queue.back().range.Size() > 1;
    return gives ? PredictedEnd(node) : 0;
  };
  return &*std::max_element(
      nodes_.begin(), nodes_.end(),
      [&](const SampleNode& a, const SampleNode& b) { return end(a) < end(b); });
}

/// Moves what makes both finish together, leased in the last seconds, as a copy at the very end.
bool SampleCluster::Move(SampleNode& victim, SampleNode& thief, double now) {
  if (&victim == &thief || victim.queue.empty()) return false;
  IndexRange& last = victim.queue.back().range;
  const double gap = PredictedEnd(victim) - PredictedEnd(thief);
  const double seconds = gap * SpeedNow(thief) / (SpeedNow(victim) + SpeedNow(thief));
  const std::int64_t count =
      std::min(last.Size() - 1, Portion(seconds / Seconds(victim, last), last.Size()));
  if (count < 1) return false;
  last.end -= count;
  const bool copy = now > kSampleSeconds + 1;
  const bool leased = now > kSampleSeconds - 3;
  thief.queue.push_back({{last.end, last.end + count}, copy ? RunKind::kCopy : RunKind::kStolen});
  thief.summary.stolen_in += count;
  victim.summary.stolen_out += count;
  ++(copy ? moves_.copies : leased ? moves_.leased : moves_.reserved);
  if (copy) return true;
  TimelineEvent& move = AddEvent(TimelineEvent::Kind::kMove, now);
  move.node = thief.name;
  move.from_node = victim.name;
  move.tasks = count;
  move.detail = leased ? "leased" : "reserved";
  return true;
}

void SampleCluster::RunSome(SampleNode& node) {
  SampleNode::Part& part = node.queue.front();
  const std::int64_t size = part.range.Size();
  const std::int64_t count =
      std::clamp<std::int64_t>(Portion(report_seconds_ / Seconds(node, part.range), size), 1, size);
  model::ResultRecord& record = records_.emplace_back();
  record.range = {part.range.begin, part.range.begin + count};
  record.node = node.name;
  record.kind = part.kind;
  const double seconds = Seconds(node, record.range) * rng_.Uniform(0.98, 1.03);
  record.started = FromSeconds(node.free_at);
  record.ended = FromSeconds(node.free_at + seconds);
  record.busy = FromSeconds(seconds * 0.997);
  node.free_at += seconds + 0.004;
  node.summary.completed += count;
  node.summary.busy_seconds += seconds * 0.997;
  node.summary.last_end = record.ended;
  part.range.begin += count;
  if (part.range.Empty()) node.queue.pop_front();
  if (node.summary.predicted_end == Duration{} && node.free_at > 5) {
    node.summary.predicted_end = FromSeconds(PredictedEnd(node));
  }
  const bool fragile = nodes_.size() > 3 && &node == &nodes_.back();
  if (fragile && node.free_at > 20 && node.free_at < 23) LoseForAWhile(node);
}

void SampleCluster::LoseForAWhile(SampleNode& node) {
  AddEvent(TimelineEvent::Kind::kLost, node.free_at).node = node.name;
  node.free_at += 8;
  AddEvent(TimelineEvent::Kind::kJoined, node.free_at).node = node.name;
}

/// Now and then: predicts the end, and moves work ahead of need.
void SampleCluster::Look(double now) {
  next_look_ = now + 1;
  double work = 0;
  double speed = 0;
  for (const SampleNode& node : nodes_) {
    if (node.free_at >= kNever) continue;
    work += std::max(0.0, PredictedEnd(node) - now) * SpeedNow(node);
    speed += SpeedNow(node);
  }
  TimelineEvent& eta = AddEvent(TimelineEvent::Kind::kEta, now);
  eta.end = FromSeconds(now + work / speed + rng_.Uniform(-0.2, 0.2));
  eta.sigma = FromSeconds(0.15 + 2.6 * std::exp(-now / 12));
  SampleNode* latest = LatestNode();
  for (SampleNode& node : nodes_) {
    const bool takes = now > 5 && node.free_at < kNever;
    if (takes && PredictedEnd(*latest) - PredictedEnd(node) > 2) Move(*latest, node, now);
  }
}

/// The first node stops to compute and hands what it has to the others, by their speed.
void SampleCluster::BecomeMaster(SampleNode& master) {
  master.free_at = kNever;
  if (master.queue.empty()) return;
  const IndexRange rest = master.queue.front().range;
  master.queue.clear();
  double before = 0;
  std::int64_t begin = rest.begin;
  for (auto node = nodes_.begin() + 1; node != nodes_.end(); ++node) {
    before += node->speed / (TotalSpeed() - master.speed);
    const std::int64_t end = rest.begin + Portion(before, rest.Size());
    if (end > begin) node->queue.push_back({{begin, end}, RunKind::kStolen});
    begin = end;
  }
}

void SampleCluster::AddStages() {
  double end = 0;
  for (const SampleNode& node : nodes_) end = std::max(end, ToSeconds(node.summary.last_end));
  const std::array edges = {0.0, kMasterAt - 3, kMasterAt, end};
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    TimelineEvent& stage = AddEvent(TimelineEvent::Kind::kStage, edges[i]);
    stage.end = FromSeconds(edges[i + 1]);
    stage.detail = std::to_string(i + 1);
  }
  TimelineEvent& master = AddEvent(TimelineEvent::Kind::kMaster, kMasterAt);
  master.node = nodes_.front().name;
  master.end = FromSeconds(end);
}

TimelineEvent& SampleCluster::AddEvent(TimelineEvent::Kind kind, double start) {
  TimelineEvent& event = events_.emplace_back();
  event.kind = kind;
  event.start = FromSeconds(start);
  return event;
}

}  // namespace evenkeel::testing
