#pragma once

#include <map>
#include <string>
#include <vector>

namespace evenkeel::model {

/// How a criterion reads the label of a node.
enum class CriterionKind {
  kNumeric,     ///< a number above 0
  kDate,        ///< a date such as 2020-08-24, counted in days since 1970
  kLinguistic,  ///< a term of the policy, or a number or date that a threshold maps to one
};

/// Direction of a criterion.
enum class Better { kLarger, kSmaller };

/// The term of values from `from` (dates: days since 1970) up to the next threshold.
struct TermThreshold {
  double from = 0;
  std::string term;
};

/// One requirement z_i of the fuzzy estimation.
struct Criterion {
  std::string name;  ///< key in explanations, e.g. "cpu"
  std::vector<std::string>
      labels;  ///< names of facts or of node labels; the first one that a node has counts
  CriterionKind kind = CriterionKind::kNumeric;
  Better better = Better::kLarger;
  double exponent = 0;  ///< alpha_i, the importance of the requirement; > 0
  /// kLinguistic: ascending by `from`; numbers below the first one are invalid.
  std::vector<TermThreshold> thresholds;
};

/// Which weight divides the work.
enum class Rounding {
  kExact,  ///< the exact ratio to the lightest node
  kCeil,   ///< the ratio rounded up to a whole number, as published
};

/// A WeightingPolicy: how labels determine the weights of nodes. A plain value.
struct WeightingPolicy {
  std::string name;
  Rounding rounding = Rounding::kExact;
  std::map<std::string, double> terms;  ///< number of each linguistic term, > 0
  std::vector<Criterion> criteria;      ///< at least one, with unique names
};

}  // namespace evenkeel::model
