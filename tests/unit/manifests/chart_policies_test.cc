// The policies that the chart brings to a cluster are those that `evenkeel` has built in.
#include <gtest/gtest.h>

#include <string>

#include "core/model/policy_parsing.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "tests/unit/manifests/source_files.h"

namespace evenkeel {
namespace {

void ExpectSame(const model::Criterion& chart, const model::Criterion& builtin) {
  EXPECT_EQ(chart.name, builtin.name);
  EXPECT_EQ(chart.labels, builtin.labels);
  EXPECT_EQ(chart.kind, builtin.kind);
  EXPECT_EQ(chart.better, builtin.better);
  EXPECT_EQ(chart.exponent, builtin.exponent);
  ASSERT_EQ(chart.thresholds.size(), builtin.thresholds.size()) << builtin.name;
  for (std::size_t i = 0; i < builtin.thresholds.size(); ++i) {
    EXPECT_EQ(chart.thresholds[i].from, builtin.thresholds[i].from) << builtin.name;
    EXPECT_EQ(chart.thresholds[i].term, builtin.thresholds[i].term) << builtin.name;
  }
}

class ChartPolicies : public testing::TestWithParam<const char*> {};

TEST_P(ChartPolicies, AreTheBuiltinOnes) {
  const std::string file = std::string("helm/evenkeel/files/policies/") + GetParam() + ".yaml";
  const auto chart = model::ParsePolicy(tests::TextOf(file), file);
  ASSERT_TRUE(chart.has_value()) << chart.error().message;
  const auto builtin = scheduling::FindBuiltinPolicy(GetParam());
  ASSERT_TRUE(builtin.has_value());
  EXPECT_EQ(chart->name, builtin->name);
  EXPECT_EQ(chart->rounding, builtin->rounding);
  EXPECT_EQ(chart->terms, builtin->terms);
  ASSERT_EQ(chart->criteria.size(), builtin->criteria.size());
  for (std::size_t i = 0; i < builtin->criteria.size(); ++i) {
    ExpectSame(chart->criteria[i], builtin->criteria[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Chart, ChartPolicies, testing::Values("default", "paper"));

}  // namespace
}  // namespace evenkeel
