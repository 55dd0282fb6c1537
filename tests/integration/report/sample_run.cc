#include "sample_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "core/model/run_record.h"
#include "report/summary_json.h"
#include "report/timeline.h"

namespace evenkeel::testing {
namespace {

using model::IndexRange;
using model::RunKind;
using model::TimelineEvent;

constexpr double kStartup = 0.42;
constexpr double kTargetSeconds = 42;
constexpr double kSlowdownAt = 16;
constexpr double kMasterAt = 27;
constexpr double kNever = 1e9;

struct Part {
  IndexRange range;
  RunKind kind = RunKind::kPlanned;
};

struct Node {
  std::string name;
  double guessed = 1;  ///< speed as weighed
  double speed = 1;    ///< speed in truth, until it slows down
  double free_at = kStartup;
  std::deque<Part> queue;
  model::NodeSummary summary;
};

class Sample {
 public:
  explicit Sample(const SampleOptions& options) : options_(options), rng_(7) {
    MakeNodes();
    unit_seconds_ = kTargetSeconds * TotalSpeed() / Cost({0, options.tasks});
    Plan();
  }

  void Run() {
    while (Node* node = NextNode()) {
      if (has_stages_ && node == &nodes_.front() && node->free_at > kMasterAt) {
        BecomeMaster(*node);
        continue;
      }
      if (node->queue.empty() && !Move(*LatestNode(), *node, node->free_at)) {
        node->free_at = kNever;
        continue;
      }
      RunSome(*node);
      if (node->free_at >= next_look_ && node->free_at < kTargetSeconds) Look(node->free_at);
    }
  }

  Result<void> Write(const std::filesystem::path& folder) {
    const model::RunSummary summary = Summarise();
    if (has_stages_) AddStages(summary.makespan_seconds);
    auto writer = report::TimelineWriter::Create(folder / "timeline.jsonl");
    if (!writer) return tl::unexpected(writer.error());
    for (const auto& record : records_) {
      if (auto written = writer->Write(record); !written) return written;
    }
    for (const auto& event : events_) {
      if (auto written = writer->Write(event); !written) return written;
    }
    if (auto done = writer->Commit(); !done) return done;
    return report::WriteSummary(folder / "summary.json", summary);
  }

 private:
  void MakeNodes() {
    const std::vector<Node> trio = {{"pi4-a", 4.253, 0.40, kStartup, {}, {}},
                                    {"pi4-b", 4.297, 0.41, kStartup, {}, {}},
                                    {"pi3", 1.0, 0.0937, kStartup, {}, {}}};
    for (std::int64_t i = 0; i < options_.workers; ++i) {
      if (options_.workers <= 3) {
        nodes_.push_back(trio[static_cast<std::size_t>(i)]);
      } else {
        const double guess = rng_.Uniform(1, 4.3);
        nodes_.push_back({"node-" + std::to_string(i + 1),
                          guess,
                          guess * rng_.Uniform(0.075, 0.11),
                          kStartup,
                          {},
                          {}});
      }
    }
  }

  [[nodiscard]] double TotalSpeed() const {
    return std::accumulate(nodes_.begin(), nodes_.end(), 0.0,
                           [](double sum, const Node& node) { return sum + node.speed; });
  }

  /// Of trial division, a task's cost grows with its index; here simply linearly.
  [[nodiscard]] static double Cost(IndexRange range) {
    const auto below = [](double n) { return n * (n + 1) / 2; };
    return below(static_cast<double>(range.end)) - below(static_cast<double>(range.begin));
  }

  [[nodiscard]] double SpeedNow(const Node& node) const {
    return &node == &nodes_[1] && node.free_at > kSlowdownAt ? 0.8 * node.speed : node.speed;
  }

  [[nodiscard]] double Seconds(const Node& node, IndexRange range) const {
    return Cost(range) * unit_seconds_ / SpeedNow(node);
  }

  /// Contiguous shares of the cost, as weighed.
  void Plan() {
    double total = 0;
    for (const Node& node : nodes_) total += node.guessed;
    double before = 0;
    std::int64_t begin = 0;
    for (Node& node : nodes_) {
      before += node.guessed / total;
      const auto end = &node == &nodes_.back()
                           ? options_.tasks
                           : std::llround(std::sqrt(before) * static_cast<double>(options_.tasks));
      if (end > begin) node.queue.push_back({{begin, end}, RunKind::kPlanned});
      node.summary.share = node.guessed / total;
      begin = end;
    }
  }

  Node* NextNode() {
    auto first = std::min_element(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) {
      return a.free_at < b.free_at;
    });
    return first->free_at < kNever ? &*first : nullptr;
  }

  [[nodiscard]] double PredictedEnd(const Node& node) const {
    double end = node.free_at < kNever ? node.free_at : 0;
    for (const Part& part : node.queue) end += Seconds(node, part.range);
    return end;
  }

  /// Of those that have something to give.
  Node* LatestNode() {
    const auto end = [this](const Node& node) {
      const bool gives = !node.queue.empty() && node.queue.back().range.Size() > 1;
      return gives ? PredictedEnd(node) : 0;
    };
    return &*std::max_element(nodes_.begin(), nodes_.end(),
                              [&](const Node& a, const Node& b) { return end(a) < end(b); });
  }

  /// Moves what makes both finish together, leased in the last seconds, as a copy at the very end.
  bool Move(Node& victim, Node& thief, double now) {
    if (&victim == &thief || victim.queue.empty()) return false;
    Part& last = victim.queue.back();
    const double gap = PredictedEnd(victim) - PredictedEnd(thief);
    const double seconds = gap * SpeedNow(thief) / (SpeedNow(victim) + SpeedNow(thief));
    const std::int64_t count = std::min<std::int64_t>(
        last.range.Size() - 1, std::llround(seconds / Seconds(victim, last.range) *
                                            static_cast<double>(last.range.Size())));
    if (count < 1) return false;
    const IndexRange taken{last.range.end - count, last.range.end};
    last.range.end = taken.begin;
    const bool copy = now > kTargetSeconds + 1;
    thief.queue.push_back({taken, copy ? RunKind::kCopy : RunKind::kStolen});
    thief.summary.stolen_in += count;
    victim.summary.stolen_out += count;
    const bool leased = now > kTargetSeconds - 3;
    ++(copy ? moves_.copies : leased ? moves_.leased : moves_.reserved);
    if (copy) return true;
    TimelineEvent& move = AddEvent(TimelineEvent::Kind::kMove, now);
    move.node = thief.name;
    move.from_node = victim.name;
    move.tasks = count;
    move.detail = leased ? "leased" : "reserved";
    return true;
  }

  void RunSome(Node& node) {
    Part& part = node.queue.front();
    const double whole = Seconds(node, part.range);
    const auto fits = static_cast<std::int64_t>(options_.report_seconds / whole *
                                                static_cast<double>(part.range.Size()));
    const std::int64_t count = std::clamp<std::int64_t>(fits, 1, part.range.Size());
    model::ResultRecord record;
    record.range = {part.range.begin, part.range.begin + count};
    record.node = node.name;
    record.kind = part.kind;
    const double seconds = Seconds(node, record.range) * rng_.Uniform(0.98, 1.03);
    record.started = FromSeconds(node.free_at);
    record.ended = FromSeconds(node.free_at + seconds);
    record.busy = FromSeconds(seconds * 0.997);
    records_.push_back(record);
    node.free_at += seconds + 0.004;
    node.summary.completed += count;
    node.summary.busy_seconds += seconds * 0.997;
    node.summary.finish_seconds = ToSeconds(record.ended);
    part.range.begin += count;
    if (part.range.Empty()) node.queue.pop_front();
    if (node.summary.predicted_finish_seconds == 0 && node.free_at > 5) {
      node.summary.predicted_finish_seconds = PredictedEnd(node);
    }
    if (&node == &nodes_.back() && options_.workers > 3 && node.free_at > 20 && node.free_at < 23) {
      LoseForAWhile(node);
    }
  }

  void LoseForAWhile(Node& node) {
    AddEvent(TimelineEvent::Kind::kLost, node.free_at).node = node.name;
    node.free_at += 8;
    AddEvent(TimelineEvent::Kind::kJoined, node.free_at).node = node.name;
  }

  /// Now and then: predicts the end, and moves work ahead of need.
  void Look(double now) {
    next_look_ = now + 1;
    double work = 0;
    for (const Node& node : nodes_) work += (PredictedEnd(node) - now) * SpeedNow(node);
    TimelineEvent& eta = AddEvent(TimelineEvent::Kind::kEta, now);
    eta.end = FromSeconds(now + work / TotalSpeed() + rng_.Uniform(-0.2, 0.2));
    eta.sigma = FromSeconds(0.15 + 2.6 * std::exp(-now / 12));
    Node* latest = LatestNode();
    for (Node& node : nodes_) {
      if (now > 5 && PredictedEnd(*latest) - PredictedEnd(node) > 2) Move(*latest, node, now);
    }
  }

  TimelineEvent& AddEvent(TimelineEvent::Kind kind, double start) {
    TimelineEvent& event = events_.emplace_back();
    event.kind = kind;
    event.start = FromSeconds(start);
    return event;
  }

  /// The first node stops to compute and hands what it has to the others, by their speed.
  void BecomeMaster(Node& master) {
    const Part rest = master.queue.front();
    master.queue.clear();
    double before = 0;
    std::int64_t begin = rest.range.begin;
    for (auto node = nodes_.begin() + 1; node != nodes_.end(); ++node) {
      before += node->speed / (TotalSpeed() - master.speed);
      const auto end =
          rest.range.begin + std::llround(before * static_cast<double>(rest.range.Size()));
      if (end > begin) node->queue.push_back({{begin, end}, RunKind::kStolen});
      begin = end;
    }
    master.free_at = kNever;
  }

  void AddStages(double end) {
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

  [[nodiscard]] model::RunSummary Summarise() {
    model::RunSummary summary;
    summary.job = options_.job;
    summary.workload = "primes";
    summary.state = model::JobState::kComplete;
    summary.strategy = options_.strategy;
    summary.tasks_total = summary.tasks_completed = options_.tasks;
    double finish_sum = 0;
    double smallest = 1e9;
    for (const Node& node : nodes_) smallest = std::min(smallest, node.guessed);
    for (Node& node : nodes_) {
      node.summary.name = node.name;
      node.summary.ratio = node.guessed / smallest;
      node.summary.weight = std::llround(std::ceil(node.summary.ratio - 1e-9));
      node.summary.rate = node.speed * 9.31e6;
      if (options_.workers <= 3) node.summary.declared_speed = node.speed;
      summary.nodes.push_back(node.summary);
      finish_sum += node.summary.finish_seconds;
      summary.makespan_seconds = std::max(summary.makespan_seconds, node.summary.finish_seconds);
    }
    const double mean = finish_sum / static_cast<double>(nodes_.size());
    summary.load_imbalance_percent = (1 - mean / summary.makespan_seconds) * 100;
    summary.makespan_seconds += 0.031;
    summary.startup_seconds = kStartup;
    summary.lower_bound_seconds = kTargetSeconds;
    summary.rate_source = "declared";
    summary.efficiency = summary.lower_bound_seconds / summary.makespan_seconds;
    summary.wasted_seconds = 0.274;
    summary.messages = static_cast<std::int64_t>(records_.size()) * 3 + 41;
    summary.moves = moves_;
    summary.bytes_sent = summary.messages * 61;
    summary.bytes_received = summary.messages * 97;
    summary.lease_seconds = 2;
    summary.speed_control = "cgroup";
    summary.seed = 12345678901234567890ULL;
    summary.result_json = R"({"count":78498,"largest":999983})";
    return summary;
  }

  const SampleOptions options_;
  const bool has_stages_ = options_.strategy == "ModifiedMasterSlave";
  Rng rng_;
  std::vector<Node> nodes_;
  double unit_seconds_ = 1;
  double next_look_ = 1.2;
  model::MoveCounts moves_;
  std::vector<model::ResultRecord> records_;
  std::vector<TimelineEvent> events_;
};

}  // namespace

Result<void> WriteSampleRun(const std::filesystem::path& folder, const SampleOptions& options) {
  Sample sample(options);
  sample.Run();
  return sample.Write(folder);
}

}  // namespace evenkeel::testing
