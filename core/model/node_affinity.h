#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/node_profile.h"

namespace evenkeel::model {

/// An item of matchExpressions (about a label) or matchFields (about the name of a node).
struct NodeRequirement {
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };

  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;  ///< kGreaterThan, kLessThan: one whole number

  friend bool operator==(const NodeRequirement&, const NodeRequirement&) = default;
};

/// An item of nodeSelectorTerms. All of its requirements must hold; without any, none does.
struct NodeSelectorTerm {
  std::vector<NodeRequirement> expressions;
  std::vector<NodeRequirement> fields;  ///< of the name, with kIn or kNotIn

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// The required part of a node affinity, as in a pod: one of the terms must match. Without terms
/// every node matches.
struct NodeAffinity {
  std::vector<NodeSelectorTerm> terms;

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

/// Decides as the Kubernetes scheduler does (k8s.io/component-helpers/scheduling/corev1): NotIn and
/// DoesNotExist hold for a node without the label; Gt and Lt compare whole numbers and do not hold
/// for any other value of the label.
[[nodiscard]] bool Matches(const NodeAffinity& affinity, const NodeProfile& node);

/// The first requirement of each term that the node does not meet: "board NotIn pi3,pi02", of
/// several terms joined by " or ", of at most `max_bytes`. Empty if the node matches.
[[nodiscard]] std::string UnmetRequirements(const NodeAffinity& affinity, const NodeProfile& node,
                                            std::size_t max_bytes = 160);

/// The operator as manifests spell it, such as "NotIn".
[[nodiscard]] std::string ToString(NodeRequirement::Operator op);
/// All operators.
[[nodiscard]] const std::vector<NodeRequirement::Operator>& AllNodeOperators();

/// A whole number of 64 bits, as the values of Gt and Lt have to be.
[[nodiscard]] bool IsWholeNumber(const std::string& text);

}  // namespace evenkeel::model
