#include "core/engine/progress_reporter.h"

#include <algorithm>
#include <cmath>

#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

std::optional<ProgressReporter::Prediction> ProgressReporter::PredictEnd(Instant now) const {
  if (!parts_.estimator.RatesKnown()) return std::nullopt;
  double rate_sum = 0;
  double variance_sum = 0;
  double slowest = 0;
  for (const auto& [stream, worker] : parts_.membership.Streams()) {
    const double rate = parts_.estimator.Rate(worker);
    const double sigma = rate * parts_.estimator.RelativeSigma(worker);
    rate_sum += rate;
    variance_sum += sigma * sigma;
    slowest = std::max(slowest, static_cast<double>(parts_.ledger.OutstandingCost(worker)) / rate);
  }
  if (rate_sum <= 0) return std::nullopt;
  // All workers are kept busy to the end unless the strategy plans otherwise, but none ends before
  // it has run its leases.
  const double fluid =
      static_cast<double>(parts_.costs.Total() - parts_.statistics.CompletedCost()) / rate_sum;
  double left = std::max(fluid, slowest);
  if (const auto end = parts_.driver.PredictedEnd(now)) {
    const double planned = ToSeconds(*end - now);
    left = parts_.driver.PredictsRuns() ? planned : std::max(left, planned);
  }
  const double variance =
      variance_sum / (rate_sum * rate_sum) + parts_.statistics.PredictionVariance();
  return Prediction{scheduling::PredictedTime(left),
                    scheduling::PredictedTime(left * std::sqrt(variance))};
}

void ProgressReporter::RecordPrediction(Instant now) {
  if (!parts_.statistics.PredictionDue(now)) return;
  if (const auto end = PredictEnd(now)) {
    parts_.statistics.RecordPrediction(now, end->left, end->sigma);
  }
}

model::RangeStatistics ProgressReporter::RangesOf(scheduling::WorkerId worker) const {
  model::RangeStatistics ranges;
  if (const auto time = parts_.estimator.Ranges().Of(worker)) {
    ranges.startup_seconds = time->startup;
    ranges.per_task_seconds = time->per_task;
  }
  const auto threads = static_cast<std::int64_t>(parts_.estimator.Threads(worker));
  const scheduling::RunningTasks running = parts_.ledger.Running(worker, threads);
  parts_.ledger.Leased(worker).ForEach([&](model::IndexRange leased) {
    parts_.ledger.ForEachLease(leased, [&](const TaskLedger::Holding& run) {
      ++ranges.running;
      const bool reports =
          std::any_of(running.begin(), running.end(), [&run](const scheduling::RunningTask& task) {
            return task.index > run.range.begin && task.index < run.range.end;
          });
      if (reports) ++ranges.cuttable;
    });
  });
  ranges.running += static_cast<std::int64_t>(parts_.ledger.Copies(worker).Ranges().size());
  ranges.cut = parts_.statistics.LeasedMovesFrom(worker);
  return ranges;
}

Progress ProgressReporter::Snapshot(Instant now) const {
  Progress progress = parts_.statistics.Snapshot(now);
  progress.tasks_total = parts_.ledger.TaskCount();
  progress.tasks_completed = parts_.completion.DurableTasks();
  progress.tasks_failed = parts_.ledger.Count(TaskState::kFailed);
  progress.failed_indexes = ToIndexString(parts_.ledger.Failed(), kMaxFailedRangesShown);
  progress.cost_total = parts_.costs.Total();
  progress.cost_longest = parts_.costs.Longest();
  progress.cost_done_ratio = static_cast<double>(parts_.statistics.CompletedCost()) /
                             static_cast<double>(std::max<model::Cost>(parts_.costs.Total(), 1));
  for (std::uint32_t i = 0; i < parts_.membership.Size(); ++i) {
    const Member& member = parts_.membership.At({i});
    NodeProgress& node = progress.nodes[i];
    node.connected = member.stream.has_value();
    node.lost = member.lost;
    node.leased = parts_.ledger.OutstandingTasks({i});
    node.runs_alone = parts_.isolation.IsReserved({i});
    const auto alone = parts_.isolation.Suspects().Within(parts_.isolation.RunningAlone({i}));
    for (const model::IndexRange range : alone) progress.alone.running += range.Size();
    if (parts_.estimator.Measured({i})) node.rate = parts_.estimator.Rate({i});
    if (parts_.estimator.RunsRanges()) node.ranges = RangesOf({i});
  }
  progress.alone.waiting = parts_.isolation.Suspects().Size() - progress.alone.running;
  progress.costs = parts_.estimator.Costs();
  const ResultVerification& verification = parts_.verification;
  if (verification.Enabled() || !verification.Exclusions().empty()) {
    progress.verification = {verification.ConfirmedTasks(), verification.OpenTasks(),
                             verification.Exclusions()};
  }
  if (const auto end = PredictEnd(now)) {
    progress.eta = end->left;
    progress.eta_sigma = end->sigma;
  }
  return progress;
}

}  // namespace evenkeel::engine
