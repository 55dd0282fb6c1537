#include "core/model/policy_parsing.h"

#include <set>
#include <utility>

#include "core/model/decimal.h"
#include "core/model/document.h"
#include "core/model/field_reader.h"
#include "core/model/manifest.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxCriteria = 32;
constexpr std::size_t kMaxTerms = 32;
constexpr std::size_t kMaxLabelName = 317;  // a DNS name of 253 characters, a slash, a name of 63
constexpr double kMaxSumOfExponents = 20;   // keeps products of memberships far from underflow
constexpr double kMaxValue = 1e15;

CriterionKind KindOf(const std::string& text) {
  if (text == "Linguistic") return CriterionKind::kLinguistic;
  return text == "Date" ? CriterionKind::kDate : CriterionKind::kNumeric;
}

/// A threshold is a number, or a date in quotes.
double ReadFrom(FieldReader& threshold) {
  const json& from = threshold.Any("from");
  if (from.is_number() && from.get<double>() >= 0 && from.get<double>() <= kMaxValue) {
    return from.get<double>();
  }
  const auto date = from.is_string() ? ParseIsoDate(from.get<std::string>()) : std::nullopt;
  if (!date) {
    threshold.Fail(
        "from", "must be a number from 0 to 1e15 or a date such as 2021-01-01, is " + Shown(from));
  }
  return date.value_or(0);
}

std::vector<TermThreshold> ReadThresholds(FieldReader& criterion,
                                          const std::vector<std::string>& terms) {
  std::vector<TermThreshold> thresholds;
  for (FieldReader& item : criterion.Objects("thresholds", kMaxTerms)) {
    TermThreshold threshold{ReadFrom(item), item.RequiredChoice("term", terms)};
    if (!thresholds.empty() && threshold.from <= thresholds.back().from) {
      item.Fail("from", "must be above the one before");
    }
    thresholds.push_back(std::move(threshold));
  }
  return thresholds;
}

Criterion ReadCriterion(FieldReader& fields, const std::vector<std::string>& terms) {
  Criterion criterion;
  criterion.name = fields.RequiredString("name", 63);
  criterion.labels = fields.Strings("labels", 8, kMaxLabelName);
  if (criterion.labels.empty()) fields.Fail("labels", "must be a list of at least 1 label");
  criterion.kind = KindOf(fields.RequiredChoice("kind", {"Numeric", "Linguistic", "Date"}));
  criterion.better = fields.OptionalChoice("better", {"Larger", "Smaller"}, "Larger") == "Larger"
                         ? Better::kLarger
                         : Better::kSmaller;
  criterion.exponent = fields.RequiredNumber("exponent", {0, 10, true});
  const bool linguistic = criterion.kind == CriterionKind::kLinguistic;
  if (linguistic && terms.empty()) fields.Fail("kind", "needs spec.terms to be Linguistic");
  if (!linguistic && fields.Has("thresholds")) {
    fields.Fail("thresholds", "is allowed with kind Linguistic only");
  }
  criterion.thresholds =
      ReadThresholds(fields, terms.empty() ? std::vector<std::string>{"norm"} : terms);
  return criterion;
}

void ReadCriteria(FieldReader& spec, WeightingPolicy& policy) {
  std::vector<std::string> terms;
  for (const auto& [term, value] : policy.terms) terms.push_back(term);

  std::set<std::string> names;
  double sum_of_exponents = 0;
  for (FieldReader& item : spec.Objects("criteria", kMaxCriteria)) {
    policy.criteria.push_back(ReadCriterion(item, terms));
    sum_of_exponents += policy.criteria.back().exponent;
    if (!names.insert(policy.criteria.back().name).second) {
      item.Fail("name", "must differ from criterion to criterion, is " +
                            Shown(policy.criteria.back().name) + " twice");
    }
  }
  if (policy.criteria.empty()) spec.Fail("criteria", "must have at least 1 criterion");
  if (sum_of_exponents > kMaxSumOfExponents) {
    spec.Fail("criteria", "must have exponents that sum up to at most 20");
  }
}

}  // namespace

Result<WeightingPolicy> ReadPolicy(const json& document) {
  FieldReader object(document, "");
  WeightingPolicy policy;
  policy.name = ReadObjectHead(object, "WeightingPolicy");
  FieldReader spec = object.RequiredObject("spec");
  policy.rounding = spec.OptionalChoice("rounding", {"Exact", "Ceil"}, "Exact") == "Ceil"
                        ? Rounding::kCeil
                        : Rounding::kExact;
  policy.terms = spec.NumberMap("terms", kMaxTerms, {0, kMaxValue, true});
  ReadCriteria(spec, policy);
  if (const auto read = object.Finish(); !read) return tl::unexpected(read.error());
  return policy;
}

Result<WeightingPolicy> ParsePolicy(const std::string& yaml_text, const std::string& file_name) {
  const Result<json> document = ParseDocument(yaml_text, file_name);
  if (!document) return tl::unexpected(document.error());
  Result<WeightingPolicy> policy = ReadPolicy(*document);
  if (!policy) return InvalidInput(file_name + ": " + policy.error().message);
  return policy;
}

}  // namespace evenkeel::model
