// Coordinator: what people want to see.
#include <algorithm>
#include <cmath>

#include "core/engine/coordinator.h"

namespace evenkeel::engine {

using model::IndexRange;

namespace {

constexpr std::size_t kMaxFailedRangesShown = 64;

}  // namespace

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
  progress.failed_indexes = ToIndexString(retries_.Failed(), kMaxFailedRangesShown);

  model::Cost done = 0;
  completed_.ForEach([&](IndexRange range) { done += config_.costs->Of(range); });
  const auto total = static_cast<double>(std::max<model::Cost>(config_.costs->Total(), 1));
  progress.cost_done_ratio = static_cast<double>(done) / total;
  double rate_sum = 0;
  double variance_sum = 0;
  double slowest = 0;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    NodeProgress node = nodes_[i].tally;
    node.connected = nodes_[i].stream.has_value();
    node.lost = nodes_[i].lost;
    node.leased = leases_.OutstandingTasks({i});
    if (estimator_.Measured({i})) node.rate = estimator_.Rate({i});
    if (node.connected) {
      const double rate = estimator_.Rate({i});
      const double sigma = rate * estimator_.RelativeSigma({i});
      rate_sum += rate;
      variance_sum += sigma * sigma;
      slowest = std::max(slowest, static_cast<double>(leases_.OutstandingCost({i})) / rate);
    }
    progress.nodes.push_back(std::move(node));
  }
  if (estimator_.AnyMeasured() && rate_sum > 0) {
    // All are kept busy to the end, but none can end before what it was leased is done.
    const double fluid = (total - static_cast<double>(done)) / rate_sum;
    const double left = std::max(fluid, slowest);
    progress.eta = FromSeconds(left);
    const double rates_variance = variance_sum / (rate_sum * rate_sum);
    progress.eta_sigma =
        FromSeconds(left * std::sqrt(rates_variance + eta_spread_.RelativeVariance()));
  }
  return progress;
}

}  // namespace evenkeel::engine
