// Coordinator: what people want to see.
#include <algorithm>
#include <cmath>

#include "core/engine/coordinator.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

Progress Coordinator::CurrentProgress(Instant now) const {
  Progress progress;
  progress.tasks_total = config_.costs->TaskCount();
  progress.tasks_completed = durable_;
  progress.tasks_failed = retries_.Failed().Size();
  progress.elapsed = JobTime(now);
  progress.startup = first_task_ ? *first_task_ - start_ : Duration::zero();
  progress.last_durable = last_durable_;
  progress.wasted_seconds = wasted_seconds_;
  progress.messages = messages_;
  progress.moves = moves_;
  progress.recalls_failed = recalls_failed_;
  progress.failed_indexes = ToIndexString(retries_.Failed(), kMaxFailedRangesShown);

  const auto total = static_cast<double>(std::max<model::Cost>(config_.costs->Total(), 1));
  progress.cost_total = config_.costs->Total();
  progress.cost_done_ratio = static_cast<double>(completed_cost_) / total;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    NodeProgress node = nodes_[i].tally;
    node.connected = nodes_[i].stream.has_value();
    node.lost = nodes_[i].lost;
    node.leased = leases_.OutstandingTasks({i});
    if (estimator_.Measured({i})) node.rate = estimator_.Rate({i});
    node.mean_rate = MeanRate(nodes_[i]);
    progress.nodes.push_back(std::move(node));
  }
  if (const auto end = PredictEnd(now)) {
    progress.eta = end->left;
    progress.eta_sigma = end->sigma;
  }
  return progress;
}

double Coordinator::MeanRate(const Node& node) {
  if (node.ran_seconds <= 0) return 0;
  return node.ran_cost / node.ran_seconds * static_cast<double>(node.tally.threads);
}

std::optional<Coordinator::Prediction> Coordinator::PredictEnd(Instant now) const {
  if (!estimator_.RatesKnown()) return std::nullopt;
  double rate_sum = 0;
  double variance_sum = 0;
  double slowest = 0;
  for (const auto& [stream, worker] : streams_) {
    const double rate = estimator_.Rate(worker);
    const double sigma = rate * estimator_.RelativeSigma(worker);
    rate_sum += rate;
    variance_sum += sigma * sigma;
    slowest = std::max(slowest, static_cast<double>(leases_.OutstandingCost(worker)) / rate);
  }
  if (rate_sum <= 0) return std::nullopt;
  // All are kept busy to the end unless the strategy knows better, but none can end before what it
  // was leased is done.
  const double fluid = static_cast<double>(config_.costs->Total() - completed_cost_) / rate_sum;
  double left = std::max(fluid, slowest);
  if (const auto end = strategy_->PredictedEnd(now)) left = std::max(left, ToSeconds(*end - now));
  const double rates_variance = variance_sum / (rate_sum * rate_sum);
  return Prediction{
      scheduling::PredictedTime(left),
      scheduling::PredictedTime(left * std::sqrt(rates_variance + eta_spread_.RelativeVariance()))};
}

}  // namespace evenkeel::engine
