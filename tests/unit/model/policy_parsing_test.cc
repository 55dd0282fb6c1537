#include "core/model/policy_parsing.h"

#include <gtest/gtest.h>

#include "core/model/decimal.h"

namespace evenkeel::model {
namespace {

std::string PolicyWith(const std::string& criterion, const std::string& more = "") {
  return "apiVersion: batch.evenkeel.dev/v1alpha1\nkind: WeightingPolicy\nmetadata: {name: mine}\n"
         "spec:\n  terms: {low: 1, high: 5}\n  criteria: [" +
         criterion + "]\n" + more;
}

std::string PolicyErrorOf(const std::string& text) {
  const auto policy = ParsePolicy(text, "p.yaml");
  EXPECT_FALSE(policy.has_value()) << text;
  return policy ? "" : policy.error().message;
}

TEST(ParsePolicy, ReadsEveryField) {
  const auto policy = ParsePolicy(PolicyWith(R"(
    {name: ram, labels: [hardware.evenkeel.dev/ram-mib, x], kind: Numeric, exponent: 0.5},
    {name: power, labels: [w], kind: Numeric, better: Smaller, exponent: 1},
    {name: age, labels: [d], kind: Date, exponent: 1},
    {name: os, labels: [o], kind: Linguistic, exponent: 0.1,
     thresholds: [{from: 0, term: low}, {from: "2021-01-01", term: high}]})",
                                             "  rounding: Ceil\n"),
                                  "p.yaml");
  ASSERT_TRUE(policy.has_value()) << policy.error().message;
  EXPECT_EQ(policy->name, "mine");
  EXPECT_EQ(policy->rounding, Rounding::kCeil);
  EXPECT_EQ(policy->terms, (std::map<std::string, double>{{"low", 1}, {"high", 5}}));
  ASSERT_EQ(policy->criteria.size(), 4u);
  EXPECT_EQ(policy->criteria[0].labels.size(), 2u);
  EXPECT_EQ(policy->criteria[1].better, Better::kSmaller);
  EXPECT_EQ(policy->criteria[2].kind, CriterionKind::kDate);
  ASSERT_EQ(policy->criteria[3].thresholds.size(), 2u);
  EXPECT_EQ(policy->criteria[3].thresholds[1].from, ParseIsoDate("2021-01-01"));
  EXPECT_EQ(policy->criteria[3].thresholds[1].term, "high");
}

TEST(ParsePolicy, BadInputIsOneLineThatNamesFileAndField) {
  EXPECT_EQ(PolicyErrorOf(PolicyWith("")), "p.yaml: spec.criteria: must have at least 1 criterion");
  EXPECT_EQ(PolicyErrorOf(PolicyWith("{name: a, labels: [x], kind: Numeric, exponent: 0}")),
            "p.yaml: spec.criteria[0].exponent: must be a number above 0, at most 10, is 0");
  EXPECT_EQ(PolicyErrorOf(PolicyWith("{name: a, labels: [], kind: Numeric, exponent: 1}")),
            "p.yaml: spec.criteria[0].labels: must be a list of at least 1 label");
  EXPECT_EQ(
      PolicyErrorOf(PolicyWith("{name: a, labels: [x], kind: Numeric, exponent: 1},"
                               "{name: a, labels: [x], kind: Numeric, exponent: 1}")),
      "p.yaml: spec.criteria[1].name: must differ from criterion to criterion, is \"a\" twice");
  EXPECT_EQ(
      PolicyErrorOf(PolicyWith("{name: a, labels: [x], kind: Linguistic, exponent: 1, "
                               "thresholds: [{from: 0, term: middling}]}")),
      "p.yaml: spec.criteria[0].thresholds[0].term: must be one of high, low, is \"middling\"");
  EXPECT_EQ(PolicyErrorOf(PolicyWith("{name: a, labels: [x], kind: Linguistic, exponent: 1, "
                                     "thresholds: [{from: 5, term: low}, {from: 5, term: high}]}")),
            "p.yaml: spec.criteria[0].thresholds[1].from: must be above the one before");
  EXPECT_EQ(PolicyErrorOf(PolicyWith("{name: a, labels: [x], kind: Numeric, exponent: 10},"
                                     "{name: b, labels: [x], kind: Numeric, exponent: 10},"
                                     "{name: c, labels: [x], kind: Numeric, exponent: 0.1}")),
            "p.yaml: spec.criteria: must have exponents that sum up to at most 20");
}

}  // namespace
}  // namespace evenkeel::model
