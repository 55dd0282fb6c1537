#include "tests/integration/report/played_run.h"

#include <algorithm>
#include <cmath>

namespace evenkeel::testing {
namespace {

using EventKind = model::TimelineEvent::Kind;

/// As in the sample cluster a task costs as much as its index.
model::Cost CostOf(model::IndexRange range) {
  return (range.end * (range.end + 1) - range.begin * (range.begin + 1)) / 2;
}

}  // namespace

PlayedRun::PlayedRun(const SampleOptions& options, coordinator::LiveFeed& feed)
    : options_(options),
      feed_(feed),
      cluster_(options.workers, options.tasks, options.report_seconds, /*stages=*/false) {
  cluster_.Run();
  records_ = cluster_.Records();
  std::stable_sort(records_.begin(), records_.end(),
                   [](const auto& a, const auto& b) { return a.ended < b.ended; });
  events_ = cluster_.Events();
  std::stable_sort(events_.begin(), events_.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  for (const auto& record : records_) last_end_[record.node] = ToSeconds(record.ended);
}

void PlayedRun::MoveTo(Duration now) {
  const std::lock_guard lock(mutex_);
  now_ = std::max(now_, now);
  for (; records_done_ < records_.size() && records_[records_done_].ended <= now_;
       ++records_done_) {
    feed_.OnCounted(records_[records_done_]);
  }
  for (; events_done_ < events_.size() && events_[events_done_].start <= now_; ++events_done_) {
    feed_.OnEvent(events_[events_done_]);
  }
  feed_.OnTick();
}

engine::Progress PlayedRun::ProgressLocked() const {
  engine::Progress progress;
  progress.tasks_total = options_.tasks;
  progress.cost_total = CostOf({0, options_.tasks});
  progress.elapsed = now_;
  progress.startup = FromSeconds(kSampleStartupSeconds);
  model::Cost cost_done = 0;
  std::map<std::string, engine::NodeProgress> nodes;
  for (std::size_t i = 0; i < records_done_; ++i) {
    const auto& record = records_[i];
    auto& node = nodes[record.node];
    node.completed += record.range.Size();
    node.cost += CostOf(record.range);
    cost_done += CostOf(record.range);
    if (record.kind != model::RunKind::kPlanned) node.stolen_in += record.range.Size();
    node.busy_seconds += ToSeconds(record.busy);
    node.last_end = record.ended;
    progress.tasks_completed += record.range.Size();
  }
  std::map<std::string, bool> lost;
  for (std::size_t i = 0; i < events_done_; ++i) {
    const auto& event = events_[i];
    if (event.kind == EventKind::kLost) lost[event.node] = true;
    if (event.kind == EventKind::kJoined) lost[event.node] = false;
    if (event.kind == EventKind::kMove) {
      nodes[event.from_node].stolen_out += event.tasks;
      (event.detail == "leased" ? progress.moves.leased : progress.moves.reserved) += 1;
    }
    if (event.kind == EventKind::kEta) {
      progress.eta = std::max(Duration{}, event.end - now_);
      progress.eta_sigma = event.sigma;
    }
  }
  for (const SampleNode& sample : cluster_.Nodes()) {
    auto& node = nodes[sample.name];
    node.name = sample.name;
    node.ratio = sample.guessed;
    node.share = sample.summary.share;
    node.threads = 1;
    node.lost = lost[sample.name];
    node.connected = !node.lost && now_ > Duration{};
    node.leased = node.connected && ToSeconds(now_) < last_end_.at(sample.name) ? 1 : 0;
    if (node.busy_seconds > 0) {
      node.rate = node.mean_rate = static_cast<double>(node.cost) / node.busy_seconds;
    }
    progress.nodes.push_back(node);
  }
  progress.cost_done_ratio =
      static_cast<double>(cost_done) / static_cast<double>(progress.cost_total);
  progress.last_durable = now_;
  return progress;
}

model::RunSummary PlayedRun::SummaryOf(const engine::Progress& progress) const {
  model::RunSummary summary;
  summary.job = options_.job;
  summary.workload = "primes";
  summary.strategy = options_.strategy;
  summary.tasks_total = progress.tasks_total;
  summary.tasks_completed = progress.tasks_completed;
  summary.startup_seconds = ToSeconds(progress.startup);
  summary.lower_bound_seconds = kSampleSeconds;
  summary.rate_source = "declared";
  summary.messages = static_cast<std::int64_t>(3 * progress.nodes.size()) + progress.messages;
  summary.moves = progress.moves;
  for (const auto& node : progress.nodes) {
    auto& row = summary.nodes.emplace_back();
    row.name = node.name;
    row.weight = std::llround(std::ceil(node.ratio - 1e-9));
    row.ratio = node.ratio;
    row.share = node.share;
    row.completed = node.completed;
    row.stolen_in = node.stolen_in;
    row.stolen_out = node.stolen_out;
    row.busy_seconds = node.busy_seconds;
    row.rate = node.mean_rate;
    row.finish_seconds = ToSeconds(node.last_end);
  }
  return summary;
}

Result<void> PlayedRun::Look(const Visit& visit) const {
  engine::Progress progress;
  {
    const std::lock_guard lock(mutex_);
    progress = ProgressLocked();
  }
  return visit({*this, SummaryOf(progress), progress});
}

Result<void> PlayedRun::ForEachRange(
    const std::function<Result<void>(const model::ResultRecord&)>& visit) const {
  for (std::size_t i = 0;; ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (i >= records_done_) return {};
    }
    if (auto visited = visit(records_[i]); !visited) return visited;
  }
}

Result<void> PlayedRun::ForEachEvent(
    const std::function<Result<void>(const model::TimelineEvent&)>& visit) const {
  for (std::size_t i = 0;; ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (i >= events_done_) return {};
    }
    if (auto visited = visit(events_[i]); !visited) return visited;
  }
}

}  // namespace evenkeel::testing
