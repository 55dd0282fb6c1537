#include "core/scheduling/fuzzy/weight_estimation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/portable_math.h"
#include "core/model/decimal.h"
#include "core/scheduling/fuzzy/node_facts.h"

namespace evenkeel::scheduling {
namespace {

using model::Better;
using model::Criterion;
using model::CriterionKind;

constexpr double kLeastMembership = 1e-3;
constexpr double kLargestRatio = 1e6;

/// The value of a criterion at one node.
struct Reading {
  std::string text;         ///< for explanations; empty if the node says nothing
  std::optional<double> z;  ///< > 0; nothing if unknown or unreadable
};

std::optional<Fact> FindFact(const Criterion& criterion, const model::NodeProfile& node,
                             const NodeFacts& facts) {
  for (const std::string& name : criterion.labels) {
    if (const auto known = facts.facts.find(name); known != facts.facts.end()) {
      return known->second;
    }
    if (const auto label = node.labels.find(name); label != node.labels.end()) {
      const auto number = model::ParseDecimal(label->second);
      return Fact{label->second, number ? number : model::ParseIsoDate(label->second)};
    }
  }
  return std::nullopt;
}

/// The term of the last threshold at or below the number; nothing below the first.
std::optional<std::string> TermOf(const Criterion& criterion, double number) {
  std::optional<std::string> term;
  for (const model::TermThreshold& threshold : criterion.thresholds) {
    if (number >= threshold.from) term = threshold.term;
  }
  return term;
}

Reading ReadTerm(const Criterion& criterion, const model::WeightingPolicy& policy,
                 const Fact& found) {
  if (const auto word = policy.terms.find(found.text); word != policy.terms.end()) {
    return {found.text, word->second};
  }
  const auto term = found.number ? TermOf(criterion, *found.number) : std::nullopt;
  if (!term) return {found.text, std::nullopt};
  return {found.text + " (" + *term + ")", policy.terms.at(*term)};
}

/// Reads the first of the criterion's facts or labels that the node has.
Reading ReadCriterion(const Criterion& criterion, const model::WeightingPolicy& policy,
                      const model::NodeProfile& node, const NodeFacts& facts) {
  const std::optional<Fact> found = FindFact(criterion, node, facts);
  if (!found) return {};
  if (criterion.kind == CriterionKind::kLinguistic) return ReadTerm(criterion, policy, *found);

  constexpr double kMax = 1e15;
  std::optional<double> z = found->number;
  if (criterion.kind == CriterionKind::kDate) z = model::ParseIsoDate(found->text);
  if (z && (*z <= 0 || *z > kMax)) z = std::nullopt;
  return {found->text, z};
}

/// Equations (1) and (2).
double Membership(double z, double best, Better better) {
  const double mu = better == Better::kLarger ? z / best : best / z;
  return std::max(mu, kLeastMembership);
}

/// The best z of all nodes that are known; nothing if none is.
std::optional<double> BestOf(const std::vector<Reading>& readings, Better better) {
  std::optional<double> best;
  for (const Reading& reading : readings) {
    if (!reading.z) continue;
    const bool beats =
        !best || (better == Better::kLarger ? *reading.z > *best : *reading.z < *best);
    if (beats) best = reading.z;
  }
  return best;
}

std::string WhyUnknown(const Criterion& criterion, const Reading& reading, bool known_elsewhere) {
  const std::string what =
      reading.text.empty() ? ": nothing says it" : ": cannot read \"" + reading.text + "\"";
  return criterion.name + what +
         (known_elsewhere ? ", the mean of the other nodes counts"
                          : ", nor is it known of another node, so it does not count");
}

/// Adds the factor of one criterion to each node.
void Weigh(const Criterion& criterion, const std::vector<Reading>& readings,
           std::vector<NodeWeight>& weights) {
  const std::optional<double> best = BestOf(readings, criterion.better);
  double sum_of_logs = 0;
  int known = 0;
  for (const Reading& reading : readings) {
    if (!reading.z) continue;
    sum_of_logs += PortableLog(Membership(*reading.z, *best, criterion.better));
    ++known;
  }
  const double mean = known > 0 ? PortableExp(sum_of_logs / known) : 1.0;

  for (std::size_t j = 0; j < readings.size(); ++j) {
    const Reading& reading = readings[j];
    Factor factor{criterion.name, reading.text, reading.z.has_value(), mean, criterion.exponent, 1};
    if (reading.z) {
      factor.mu = Membership(*reading.z, *best, criterion.better);
    } else {
      weights[j].notes.push_back(WhyUnknown(criterion, reading, known > 0));
    }
    factor.factor = PortablePower(factor.mu, factor.alpha);
    weights[j].value *= factor.factor;  // equation (3)
    weights[j].factors.push_back(std::move(factor));
  }
}

void SetRatios(std::vector<NodeWeight>& weights) {
  double least = 1;
  for (const NodeWeight& node : weights) least = std::min(least, node.value);
  for (NodeWeight& node : weights) {
    node.ratio = std::min(std::round(node.value / least * 1e6) / 1e6, kLargestRatio);
    node.weight = static_cast<std::int64_t>(std::ceil(node.ratio));
  }
}

/// Equal weights look like a result: adds a note where they are equal because facts are missing.
void NoteIgnorance(std::vector<NodeWeight>& weights) {
  bool something_unknown = false;
  for (const NodeWeight& node : weights) {
    if (node.ratio > 1) return;
    for (const Factor& factor : node.factors) something_unknown |= !factor.known;
  }
  if (!something_unknown || weights.size() < 2) return;
  for (NodeWeight& node : weights) {
    node.notes.push_back("nothing that can be read tells the nodes apart, so all weigh the same");
  }
}

}  // namespace

std::vector<NodeWeight> EstimateWeights(const std::vector<model::NodeProfile>& nodes,
                                        const model::WeightingPolicy& policy) {
  std::vector<NodeWeight> weights;
  std::vector<NodeFacts> facts;
  for (const model::NodeProfile& node : nodes) {
    facts.push_back(CollectFacts(node));
    weights.emplace_back();
    weights.back().name = node.name;
    weights.back().notes = facts.back().notes;
  }
  for (const Criterion& criterion : policy.criteria) {
    std::vector<Reading> readings;
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      readings.push_back(ReadCriterion(criterion, policy, nodes[j], facts[j]));
    }
    Weigh(criterion, readings, weights);
  }
  SetRatios(weights);
  NoteIgnorance(weights);
  return weights;
}

}  // namespace evenkeel::scheduling
