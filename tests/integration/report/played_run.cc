#include "tests/integration/report/played_run.h"

#include <algorithm>

#include "coordinator/run_results.h"

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
  progress_.tasks_total = options.tasks;
  progress_.cost_total = CostOf({0, options.tasks});
  progress_.startup = FromSeconds(kSampleStartupSeconds);
  for (const SampleNode& sample : cluster_.Nodes()) {
    number_[sample.name] = progress_.nodes.size();
    auto& node = progress_.nodes.emplace_back();
    node.name = sample.name;
    node.ratio = sample.guessed;
    node.share = sample.summary.share;
    node.threads = 1;
  }
}

void PlayedRun::MoveTo(Duration now) {
  const std::lock_guard lock(mutex_);
  progress_.elapsed = std::max(progress_.elapsed, now);
  for (; records_done_ < records_.size() && records_[records_done_].ended <= progress_.elapsed;
       ++records_done_) {
    Take(records_[records_done_]);
    feed_.OnCounted(records_[records_done_]);
  }
  for (; events_done_ < events_.size() && events_[events_done_].start <= progress_.elapsed;
       ++events_done_) {
    Take(events_[events_done_]);
    feed_.OnEvent(events_[events_done_]);
  }
  for (auto& node : progress_.nodes) {
    node.connected = !node.lost;
    const bool works = ToSeconds(progress_.elapsed) < last_end_.at(node.name);
    node.leased = node.connected && works ? 1 : 0;
    node.runs_alone =
        &node == &progress_.nodes.front() && options_.facts.find("alone") != std::string::npos;
  }
  progress_.cost_done_ratio =
      static_cast<double>(cost_done_) / static_cast<double>(progress_.cost_total);
  progress_.last_durable = progress_.elapsed;
  feed_.OnTick();
}

void PlayedRun::Take(const model::ResultRecord& record) {
  auto& node = progress_.nodes[number_.at(record.node)];
  const model::Cost cost = CostOf(record.range);
  node.completed += record.range.Size();
  node.cost += cost;
  if (record.kind != model::RunKind::kPlanned) node.stolen_in += record.range.Size();
  node.busy_seconds += ToSeconds(record.busy);
  node.last_end = record.ended;
  node.rate = node.mean_rate = static_cast<double>(node.cost) / node.busy_seconds;
  progress_.tasks_completed += record.range.Size();
  cost_done_ += cost;
}

void PlayedRun::Take(const model::TimelineEvent& event) {
  switch (event.kind) {
    case EventKind::kLost:
    case EventKind::kJoined:
      progress_.nodes[number_.at(event.node)].lost = event.kind == EventKind::kLost;
      break;
    case EventKind::kMove:
      progress_.nodes[number_.at(event.from_node)].stolen_out += event.tasks;
      (event.detail == "leased" ? progress_.moves.leased : progress_.moves.reserved) += 1;
      break;
    case EventKind::kEta:
      progress_.eta = std::max(Duration{}, event.end - progress_.elapsed);
      progress_.eta_sigma = event.sigma;
      break;
    case EventKind::kStage:
    case EventKind::kMaster:
    case EventKind::kExcluded:
      break;
  }
}

model::RunSummary PlayedRun::SummaryOf(const engine::Progress& progress) const {
  model::JobSpec job;
  job.name = options_.job;
  job.workload = "primes";
  coordinator::RunEnd end;
  end.progress = progress;
  model::RunSummary summary = coordinator::Summarize(job, end, /*epoch=*/1);
  summary.strategy = options_.strategy;
  summary.lower_bound_seconds = kSampleSeconds;
  summary.rate_source = "declared";
  summary.messages += static_cast<std::int64_t>(3 * progress.nodes.size());
  if (!options_.facts.empty()) AddSampleFacts(options_, summary);
  return summary;
}

Result<void> PlayedRun::WithSnapshot(const Visit& visit) const {
  engine::Progress progress;
  {
    const std::lock_guard lock(mutex_);
    progress = progress_;
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
