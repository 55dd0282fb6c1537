#include "operator/plan/weighting.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cluster/worker_size.h"
#include "core/scheduling/energy/energy_choice.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "core/scheduling/fuzzy/weight_estimation.h"
#include "core/scheduling/history/blended_rates.h"

namespace evenkeel::plan {

std::optional<model::NodePower> NodePower(const cluster::NodeView& node) {
  return scheduling::CollectPower(node.profile).power;
}

std::optional<model::NodePower> WorkerPower(const cluster::NodeView& node, std::int64_t threads) {
  constexpr double kCore = 1000;
  const auto power = NodePower(node);
  const auto millicores = node.profile.cpu_millicores.value_or(0);
  if (!power || threads <= 0 || millicores <= 0) return power;
  return scheduling::OfThreads(*power, static_cast<double>(threads),
                               static_cast<double>(millicores) / kCore);
}

PolicyChoice ChoosePolicy(const Snapshot& snapshot) {
  const model::WeightingSpec& weighting = snapshot.job.spec.weighting;
  const bool needed = weighting.mode != model::WeightingMode::kExplicit &&
                      weighting.mode != model::WeightingMode::kEqual;
  if (!needed) return {};
  if (snapshot.policy && snapshot.policy->invalid.empty()) return {snapshot.policy->policy, {}, {}};
  if (snapshot.policy) {
    return {std::nullopt, "InvalidPolicy",
            "WeightingPolicy " + weighting.policy + ": " + snapshot.policy->invalid};
  }
  if (auto builtin = scheduling::FindBuiltinPolicy(weighting.policy)) return {builtin, {}, {}};
  return {std::nullopt, "UnknownPolicy",
          "spec.weighting.policy: there is no WeightingPolicy " + weighting.policy};
}

cluster::Condition AcceptedCondition(const cluster::PolicyView& policy, platform::Timestamp now) {
  cluster::Condition condition;
  condition.type = cluster::condition_type::kAccepted;
  condition.observed_generation = policy.meta.generation;
  condition.last_transition = platform::WholeSeconds(now);
  if (!policy.invalid.empty()) {
    condition.status = cluster::Condition::Status::kFalse;
    condition.reason = "InvalidPolicy";
    condition.message = policy.invalid;
    return condition;
  }
  condition.status = cluster::Condition::Status::kTrue;
  condition.reason = "Accepted";
  condition.message = "jobs that start from now on can use it";
  if (scheduling::FindBuiltinPolicy(policy.meta.name)) {
    condition.message += "; it replaces the built-in policy of this name";
  }
  return condition;
}

namespace {

constexpr double kMaxRatio = 1e6;

std::int64_t RoundedUp(double ratio) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(ratio)));
}

/// A node before its weight is put on the scale of the plan.
struct Estimate {
  std::string name;
  double ratio = 1;     ///< of the worker: the node's weight times `fraction`
  double fraction = 1;  ///< of the node's speed that the worker uses
  std::optional<cluster::WeightParts> parts = std::nullopt;
};

cluster::PlannedNode Planned(const Estimate& estimate, double scale) {
  // Nodes get ratios with six decimals; nothing may depend on more.
  const double ratio = std::round(estimate.ratio * scale * 1e6) / 1e6;
  const double bounded = std::clamp(ratio, 1e-6, kMaxRatio);
  return {estimate.name, bounded,       RoundedUp(bounded / estimate.fraction), {},
          false,         estimate.parts};
}

/// Six digits: what more there is of a measurement is noise, and takes room in the plan.
double Short(double number) {
  if (number == 0 || !std::isfinite(number)) return 0;
  const double exponent = std::floor(std::log10(std::abs(number))) - 5;
  const double power = std::pow(10.0, std::abs(exponent));
  // By a power of ten that is exact, so that the result is written with six digits.
  const double shorter =
      exponent < 0 ? std::round(number * power) / power : std::round(number / power) * power;
  return std::isfinite(shorter) ? shorter : 0;
}

std::map<std::string, cluster::PlannedNode> ByName(const std::vector<cluster::PlannedNode>& nodes) {
  std::map<std::string, cluster::PlannedNode> by_name;
  for (const cluster::PlannedNode& node : nodes) by_name.emplace(node.name, node);
  return by_name;
}

/// The factor that scales new estimates to the ratios of the plan.
double Scale(const std::vector<Estimate>& estimates,
             const std::map<std::string, cluster::PlannedNode>& planned) {
  double sum_of_logarithms = 0;
  int common = 0;
  for (const Estimate& estimate : estimates) {
    const auto known = planned.find(estimate.name);
    if (known == planned.end() || known->second.ratio <= 0) continue;
    sum_of_logarithms += std::log(known->second.ratio / estimate.ratio);
    ++common;
  }
  return common == 0 ? 1.0 : std::exp(sum_of_logarithms / common);
}

/// A worker that uses a part of its node has that part of its weight.
Estimate EstimateOf(const cluster::WeightedJob& job, const WorkerToWeigh& worker,
                    double node_weight) {
  const double fraction = cluster::FractionOfNode(job, *worker.node, worker.threads);
  return {worker.node->Name(), node_weight * fraction, fraction};
}

/// By their labels alone.
std::vector<Estimate> FuzzyEstimates(const cluster::WeightedJob& job,
                                     const std::vector<WorkerToWeigh>& workers,
                                     const model::WeightingPolicy& policy) {
  std::vector<model::NodeProfile> profiles;
  for (const WorkerToWeigh& worker : workers) profiles.push_back(worker.node->profile);
  const auto weights = scheduling::EstimateWeights(profiles, policy);
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const double weight = scheduling::PartitionWeight(weights[i], policy.rounding);
    estimates.push_back(EstimateOf(job, workers[i], weight));
  }
  return estimates;
}

void BlendWithHistory(const Snapshot& snapshot, const std::vector<WorkerToWeigh>& workers,
                      std::vector<Estimate>& estimates) {
  const auto& samples = snapshot.history->samples;
  std::vector<scheduling::NodeToBlend> to_blend;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    scheduling::NodeToBlend node{estimates[i].name, estimates[i].ratio,
                                 static_cast<std::uint32_t>(workers[i].threads), std::nullopt};
    if (const auto known = samples.find(node.name); known != samples.end()) {
      node.sample = known->second;
    }
    to_blend.push_back(std::move(node));
  }
  const auto blended = scheduling::BlendRates(to_blend, {});
  for (std::size_t i = 0; i < blended.size(); ++i) {
    const scheduling::BlendedNode& node = blended[i];
    estimates[i].ratio = node.ratio;
    estimates[i].parts = {Short(node.prior_ratio),  Short(node.measured_rate),
                          Short(node.busy_seconds), Short(node.age_seconds),
                          Short(node.confidence),   Short(node.rate),
                          Short(node.sigma),        node.note};
  }
}

std::vector<cluster::PlannedNode> Estimated(
    const Snapshot& snapshot, const std::vector<WorkerToWeigh>& workers,
    const std::map<std::string, cluster::PlannedNode>& planned,
    const model::WeightingPolicy& policy) {
  std::vector<WorkerToWeigh> all = workers;
  std::set<std::string> names;
  for (const WorkerToWeigh& worker : workers) names.insert(worker.node->Name());
  for (const auto& [name, entry] : planned) {
    const auto node = snapshot.nodes->find(name);
    const bool more = node != snapshot.nodes->end() && names.insert(name).second;
    if (!more) continue;
    const std::int32_t threads = std::max(ThreadsOf(snapshot.job, *node->second), 1);
    all.push_back({node->second.get(), threads});
  }
  std::vector<Estimate> estimates = FuzzyEstimates(snapshot.job, all, policy);
  const bool told = snapshot.history && snapshot.history->kind == HistoryAnswer::Kind::kSamples;
  if (told && GoesByHistory(snapshot)) BlendWithHistory(snapshot, all, estimates);
  const double scale = Scale(estimates, planned);
  std::vector<cluster::PlannedNode> weighed;
  for (std::size_t i = 0; i < workers.size(); ++i) weighed.push_back(Planned(estimates[i], scale));
  return weighed;
}

}  // namespace

bool GoesByHistory(const Snapshot& snapshot) {
  const model::WeightingMode mode = snapshot.job.spec.weighting.mode;
  return mode == model::WeightingMode::kMeasured ||
         (mode == model::WeightingMode::kAuto && snapshot.history_there);
}

std::vector<cluster::PlannedNode> WeighNodes(const Snapshot& snapshot,
                                             const std::vector<WorkerToWeigh>& workers,
                                             const std::vector<cluster::PlannedNode>& planned,
                                             const std::optional<model::WeightingPolicy>& policy) {
  const model::WeightingSpec& weighting = snapshot.job.spec.weighting;
  const auto known = ByName(planned);
  std::vector<cluster::PlannedNode> weighed;
  if (policy) {
    weighed = Estimated(snapshot, workers, known, *policy);
  } else {
    for (const WorkerToWeigh& worker : workers) {
      const auto given = weighting.explicit_weights.find(worker.node->Name());
      const double ratio = given == weighting.explicit_weights.end() ? 1.0 : given->second;
      weighed.push_back(Planned(EstimateOf(snapshot.job, worker, ratio), 1.0));
    }
  }
  for (cluster::PlannedNode& node : weighed) {
    if (const auto before = known.find(node.name); before != known.end()) node = before->second;
  }
  return weighed;
}

std::string WeightSource(const model::WeightingSpec& weighting, const cluster::PlannedNode* node) {
  if (weighting.mode == model::WeightingMode::kExplicit) return "Explicit";
  if (weighting.mode == model::WeightingMode::kEqual) return "Equal";
  return node != nullptr && node->Measured() ? "Measured" : "Fuzzy";
}

}  // namespace evenkeel::plan
