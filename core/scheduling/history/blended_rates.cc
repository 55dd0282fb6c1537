#include "core/scheduling/history/blended_rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

constexpr std::int64_t kParts[] = {64, 16, 4, 1};

double HalfLife(std::int64_t whole_seconds) {
  return kHalfLifePart * static_cast<double>(whole_seconds);
}

constexpr double kMaxRatio = 1e6;
constexpr double kMaxAgeSeconds = 10.0 * 365 * 86400;
// Units a second of a thread. A workload may count in nanoseconds or in operations, or each hour of
// work as one.
constexpr double kLeastRate = 1e-15;
constexpr double kMostRate = 1e18;
constexpr double kMostSigma = 1.0;

/// A node whose history counts.
struct Known {
  std::size_t node = 0;
  double log_rate = 0;
  double variance = 0;  ///< h_j
  double offset = 0;    ///< log(r_j / f_j)
};

double AgeOf(const RateSample& sample) {
  return std::isfinite(sample.age_seconds) ? std::clamp(sample.age_seconds, 0.0, kMaxAgeSeconds)
                                           : 0.0;
}

/// Why a sample is none; empty if it is one.
std::string Flaw(const RateSample& sample, const BlendOptions& options) {
  const double rate = sample.units / sample.busy_seconds;
  const bool numbers = std::isfinite(sample.units) && std::isfinite(sample.busy_seconds) &&
                       sample.units > 0 && sample.busy_seconds > 0;
  // Of two numbers the quotient may still be none.
  const bool rates = rate >= kLeastRate && rate <= kMostRate;
  if (!numbers || !rates) return "its history is no rate and does not count";
  return sample.busy_seconds < options.least_busy_seconds
             ? "its history is too short and does not count"
             : "";
}

/// The middle one by weight; between two that are equally good, their mean.
double WeightedMedian(std::vector<std::pair<double, double>> values_and_weights) {
  std::sort(values_and_weights.begin(), values_and_weights.end());
  double all = 0;
  for (const auto& [value, weight] : values_and_weights) all += weight;
  double below = 0;
  for (std::size_t i = 0; i + 1 < values_and_weights.size(); ++i) {
    below += values_and_weights[i].second;
    const double past_half = below - all / 2;
    if (std::abs(past_half) <= 1e-12 * all) {
      return (values_and_weights[i].first + values_and_weights[i + 1].first) / 2;
    }
    if (past_half > 0) return values_and_weights[i].first;
  }
  return values_and_weights.back().first;
}

double MedianOffset(const std::vector<Known>& known, bool weighted) {
  std::vector<std::pair<double, double>> offsets;
  for (const Known& one : known) {
    offsets.emplace_back(one.offset, weighted ? 1 / one.variance : 1.0);
  }
  return WeightedMedian(std::move(offsets));
}

std::vector<Known> FindKnown(const std::vector<NodeToBlend>& nodes, const BlendOptions& options,
                             std::vector<BlendedNode>& blended) {
  std::vector<Known> known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& sample = nodes[i].sample;
    if (!sample) continue;
    blended[i].note = Flaw(*sample, options);
    if (!blended[i].note.empty()) continue;
    Known one;
    one.node = i;
    one.log_rate = PortableLog(sample->units / sample->busy_seconds) +
                   PortableLog(static_cast<double>(nodes[i].threads));
    one.offset = one.log_rate - PortableLog(nodes[i].prior_ratio);
    one.variance =
        options.drift_sigma * options.drift_sigma * (1 + AgeOf(*sample) / options.drift_seconds) +
        options.second_variance / sample->busy_seconds;
    known.push_back(one);
  }
  return known;
}

/// All nodes count equally here: a node that reports a false rate may report a false sample, too.
void DropAbsurd(const BlendOptions& options, std::vector<Known>& known,
                std::vector<BlendedNode>& blended) {
  if (known.empty()) return;
  const double middle = MedianOffset(known, false);
  const double most = PortableLog(options.absurd_factor);
  std::erase_if(known, [&](const Known& one) {
    const bool absurd = std::abs(one.offset - middle) > most;
    if (absurd) blended[one.node].note = "its history is absurd beside the others'; it is left out";
    return absurd;
  });
}

double RoundedRatio(double log_ratio) {
  const double ratio =
      std::min(PortableExp(std::min(log_ratio, PortableLog(kMaxRatio))), kMaxRatio);
  return std::max(std::round(ratio * 1e6) / 1e6, 1.0);
}

}  // namespace

std::vector<RecencyWindow> RecencyWindows(std::int64_t whole_seconds) {
  std::vector<RecencyWindow> windows;
  std::vector<double> weights;
  std::int64_t shorter = 0;
  for (const std::int64_t part : kParts) {
    const std::int64_t seconds = std::max<std::int64_t>(whole_seconds / part, 1);
    const double middle = static_cast<double>(shorter + seconds) / 2;
    weights.push_back(PortablePower(2, -middle / HalfLife(whole_seconds)));
    windows.push_back({seconds, 0});
    shorter = seconds;
  }
  // Work within a window is within all longer ones, too: the factors of these sum to its weight.
  weights.push_back(0);
  for (std::size_t i = 0; i < windows.size(); ++i) windows[i].factor = weights[i] - weights[i + 1];
  return windows;
}

double MeanAge(double all, double weighed, std::int64_t whole_seconds) {
  const double age = HalfLife(whole_seconds) * PortableLog(all / weighed) / PortableLog(2);
  return std::isfinite(age) ? std::clamp(age, 0.0, static_cast<double>(whole_seconds)) : 0.0;
}

std::vector<BlendedNode> BlendRates(const std::vector<NodeToBlend>& nodes,
                                    const BlendOptions& options) {
  std::vector<BlendedNode> blended;
  for (const NodeToBlend& node : nodes) {
    EVENKEEL_CHECK(node.prior_ratio > 0 && node.threads >= 1, "a node without weight or threads");
    BlendedNode one;
    one.name = node.name;
    one.prior_ratio = node.prior_ratio;
    one.sigma = options.prior_sigma;
    blended.push_back(std::move(one));
  }
  std::vector<Known> known = FindKnown(nodes, options, blended);
  DropAbsurd(options, known, blended);

  const double scale = known.empty() ? 0.0 : MedianOffset(known, true);
  std::vector<double> logs;
  for (const NodeToBlend& node : nodes) logs.push_back(PortableLog(node.prior_ratio) + scale);
  const double prior_variance = options.prior_sigma * options.prior_sigma;
  for (const Known& one : known) {
    BlendedNode& node = blended[one.node];
    const RateSample& sample = *nodes[one.node].sample;
    const double difference = one.log_rate - logs[one.node];
    const double prior = prior_variance + difference * difference;
    node.confidence = prior / (prior + one.variance);
    node.sigma = std::min(std::sqrt(prior * one.variance / (prior + one.variance)), kMostSigma);
    node.measured_rate = PortableExp(one.log_rate);
    node.busy_seconds = sample.busy_seconds;
    node.age_seconds = AgeOf(sample);
    logs[one.node] += node.confidence * difference;
  }

  const auto lightest = std::min_element(logs.begin(), logs.end());
  for (std::size_t i = 0; i < blended.size(); ++i) {
    blended[i].ratio = RoundedRatio(logs[i] - *lightest);
    if (!known.empty()) blended[i].rate = PortableExp(logs[i]);
  }
  return blended;
}

}  // namespace evenkeel::scheduling
