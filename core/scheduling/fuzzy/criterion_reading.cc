#include "core/scheduling/fuzzy/criterion_reading.h"

#include "core/model/decimal.h"

namespace evenkeel::scheduling {
namespace {

using model::Criterion;
using model::CriterionKind;

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

}  // namespace

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

}  // namespace evenkeel::scheduling
