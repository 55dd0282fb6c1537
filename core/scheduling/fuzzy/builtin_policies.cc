#include "core/scheduling/fuzzy/builtin_policies.h"

#include "core/scheduling/fuzzy/node_facts.h"

namespace evenkeel::scheduling {
namespace {

using model::Better;
using model::Criterion;
using model::CriterionKind;
using model::Rounding;
using model::WeightingPolicy;

const std::string kFarBelow = "significantly-below-norm";
const std::string kBelow = "below-norm";
const std::string kNorm = "norm";
const std::string kAbove = "above-norm";
const std::string kFarAbove = "significantly-above-norm";

Criterion Numeric(const std::string& name, const std::string& fact, double exponent,
                  Better better = Better::kLarger) {
  return {name, {fact}, CriterionKind::kNumeric, better, exponent, {}};
}

Criterion Linguistic(const std::string& name, const std::string& fact, double exponent,
                     std::vector<model::TermThreshold> thresholds) {
  return {
      name, {fact}, CriterionKind::kLinguistic, Better::kLarger, exponent, std::move(thresholds)};
}

/// 2020-01-01 and 2021-01-01 in days since 1970.
constexpr double kYear2020 = 18262;
constexpr double kYear2021 = 18628;

}  // namespace

WeightingPolicy DefaultPolicy() {
  WeightingPolicy policy;
  policy.name = "default";
  policy.rounding = Rounding::kExact;
  // Extra load only ever costs, so the scale falls: no less than nothing above the norm.
  policy.terms = {{kFarBelow, 5}, {kBelow, 5}, {kNorm, 5}, {kAbove, 3}, {kFarAbove, 1}};
  // Speed is proportional to the first three. With the figures of the catalogue the paper's Pi 4B
  // against its Pi 3B comes to (2550/1200) x (64/32) x 2^0.02 = 4.31, and its master, which gathers
  // the results, to (3/5)^0.02 of that, 4.27; the paper's own boards behaved like 4.30 and 4.26.
  // A 32-bit system halves the speed: its 64-bit arithmetic takes two steps or a call. Small
  // exponents as in the paper for what matters little. The microSD, power and release date are left
  // out, for they make no board faster.
  policy.criteria = {
      Numeric("cpu", fact::kCpu, 1.0),
      Numeric("cores", fact::kCpuCores, 1.0),
      Numeric("osBits", fact::kOsBits, 1.0),
      Numeric("ram", fact::kRamMib, 0.02),
      Linguistic("extraLoad", fact::kExtraLoad, 0.02, {}),
  };
  return policy;
}

WeightingPolicy PaperPolicy() {
  WeightingPolicy policy;
  policy.name = "paper";
  policy.rounding = Rounding::kCeil;
  policy.terms = {{kFarBelow, 1}, {kBelow, 3}, {kNorm, 5}, {kAbove, 3}, {kFarAbove, 1}};
  // Exponents from table 1. The thresholds are ours; they give the terms of table 1 for its boards.
  policy.criteria = {
      // Cortex-A72 1.5 GHz (2550 here) is the norm, Cortex-A53 1.2 GHz (1200) significantly below.
      Linguistic(
          "cpu", fact::kCpu, 0.8,
          {{0, kFarBelow}, {1300, kBelow}, {2000, kNorm}, {3500, kAbove}, {5000, kFarAbove}}),
      Linguistic("osBits", fact::kOsBits, 0.1, {{0, kFarBelow}, {64, kNorm}, {65, kAbove}}),
      // MiB: 2 GB is the norm, 1 GB below. A board shows some less than it is sold with.
      Linguistic("ram", fact::kRamMib, 0.02,
                 {{0, kFarBelow}, {768, kBelow}, {1536, kNorm}, {3072, kAbove}, {6144, kFarAbove}}),
      Linguistic("extraLoad", fact::kExtraLoad, 0.02, {}),
      Numeric("sd", fact::kSdGb, 0.02),
      Numeric("power", fact::kPowerWatts, 0.02, Better::kSmaller),
      // August 2020 is below the norm, January 2021 the norm.
      Linguistic("osRelease", fact::kOsReleaseDate, 0.02,
                 {{0, kFarBelow}, {kYear2020, kBelow}, {kYear2021, kNorm}}),
  };
  return policy;
}

std::optional<WeightingPolicy> FindBuiltinPolicy(const std::string& name) {
  if (name == "default") return DefaultPolicy();
  if (name == "paper") return PaperPolicy();
  return std::nullopt;
}

}  // namespace evenkeel::scheduling
