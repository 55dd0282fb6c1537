#include "core/model/node_affinity.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/printable.h"

namespace evenkeel::model {
namespace {

using Operator = NodeRequirement::Operator;

std::optional<std::int64_t> WholeNumber(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  // Go's ParseInt, which Kubernetes uses, accepts a leading plus sign.
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  if (begin != end && *begin == '-' && begin != text.data()) return std::nullopt;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// `value`: null if the node has none.
bool Holds(const NodeRequirement& requirement, const std::string* value) {
  const auto listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), *value) !=
           requirement.values.end();
  };
  const auto compared = [&](bool greater) {
    if (value == nullptr || requirement.values.size() != 1) return false;
    const auto has = WholeNumber(*value);
    const auto bound = WholeNumber(requirement.values.front());
    return has && bound && (greater ? *has > *bound : *has < *bound);
  };
  switch (requirement.op) {
    case Operator::kIn:
      return value != nullptr && listed();
    case Operator::kNotIn:
      return value == nullptr || !listed();
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
    case Operator::kGreaterThan:
      return compared(true);
    case Operator::kLessThan:
      return compared(false);
  }
  return false;
}

/// Null if all hold.
const NodeRequirement* FirstUnmet(const NodeSelectorTerm& term, const NodeProfile& node) {
  for (const NodeRequirement& one : term.expressions) {
    const auto label = node.labels.find(one.key);
    if (!Holds(one, label == node.labels.end() ? nullptr : &label->second)) return &one;
  }
  for (const NodeRequirement& one : term.fields) {
    if (!Holds(one, &node.name)) return &one;
  }
  return nullptr;
}

bool IsEmpty(const NodeSelectorTerm& term) {
  return term.expressions.empty() && term.fields.empty();
}

std::string InWords(const NodeRequirement& requirement) {
  std::string text = requirement.key + " " + ToString(requirement.op);
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    text += (i > 0 ? "," : " ") + requirement.values[i];
  }
  return text;
}

}  // namespace

bool Matches(const NodeAffinity& affinity, const NodeProfile& node) {
  return affinity.terms.empty() ||
         std::any_of(affinity.terms.begin(), affinity.terms.end(), [&node](const auto& term) {
           return !IsEmpty(term) && FirstUnmet(term, node) == nullptr;
         });
}

std::string UnmetRequirements(const NodeAffinity& affinity, const NodeProfile& node,
                              std::size_t max_bytes) {
  if (Matches(affinity, node)) return {};
  std::string text;
  for (const NodeSelectorTerm& term : affinity.terms) {
    const NodeRequirement* unmet = FirstUnmet(term, node);
    if (unmet == nullptr) continue;  // a term without requirements
    text += (text.empty() ? "" : " or ") + InWords(*unmet);
  }
  return Printable(text, max_bytes);
}

std::string ToString(Operator op) {
  switch (op) {
    case Operator::kIn:
      return "In";
    case Operator::kNotIn:
      return "NotIn";
    case Operator::kExists:
      return "Exists";
    case Operator::kDoesNotExist:
      return "DoesNotExist";
    case Operator::kGreaterThan:
      return "Gt";
    case Operator::kLessThan:
      return "Lt";
  }
  return "?";
}

const std::vector<Operator>& AllNodeOperators() {
  static const std::vector<Operator> kAll{Operator::kIn,          Operator::kNotIn,
                                          Operator::kExists,      Operator::kDoesNotExist,
                                          Operator::kGreaterThan, Operator::kLessThan};
  return kAll;
}

bool IsWholeNumber(const std::string& text) { return WholeNumber(text).has_value(); }

}  // namespace evenkeel::model
