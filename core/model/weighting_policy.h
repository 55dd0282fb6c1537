#pragma once

#include <map>
#include <string>
#include <vector>

namespace evenkeel::model {

/// How a criterion reads what a node says.
enum class CriterionKind {
  kNumeric,     ///< a number above 0
  kDate,        ///< a date such as 2020-08-24, counted in days since 1970
  kLinguistic,  ///< a term of the policy, or a number or date that its thresholds turn into one
};

/// Which value of a criterion is the best.
enum class Better { kLarger, kSmaller };

/// From this number on (dates: days since 1970), up to the next threshold, the term holds.
struct TermThreshold {
  double from = 0;
  std::string term;
};

/// One requirement z_i of the fuzzy estimation.
struct Criterion {
  std::string name;  ///< key in explanations, e.g. "cpu"
  std::vector<std::string>
      labels;  ///< names of facts or of node labels; the first a node has counts
  CriterionKind kind = CriterionKind::kNumeric;
  Better better = Better::kLarger;
  double exponent = 0;  ///< alpha_i, the rank of the requirement; > 0
  /// kLinguistic: ascending by `from`; numbers below the first one are unreadable.
  std::vector<TermThreshold> thresholds;
};

/// Which weight the partition of the work uses.
enum class Rounding {
  kExact,  ///< the ratio to the lightest node as it is
  kCeil,   ///< the ratio rounded up to a whole number, as published
};

/// A WeightingPolicy: what makes a node heavy. A plain value.
struct WeightingPolicy {
  std::string name;
  Rounding rounding = Rounding::kExact;
  std::map<std::string, double> terms;  ///< number of each linguistic term, > 0
  std::vector<Criterion> criteria;      ///< at least one, names differ
};

}  // namespace evenkeel::model
