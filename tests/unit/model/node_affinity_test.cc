#include "core/model/node_affinity.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

using Operator = NodeRequirement::Operator;

NodeProfile Board() {
  NodeProfile node;
  node.name = "pi4-a";
  node.labels = {{"board", "pi4"}, {"ram-mib", "1848"}, {"disk", ""}, {"size", "large"}};
  return node;
}

NodeAffinity OneTerm(std::vector<NodeRequirement> expressions,
                     std::vector<NodeRequirement> fields = {}) {
  return {{{std::move(expressions), std::move(fields)}}};
}

TEST(NodeAffinity, EachOperatorDecidesAsTheScheduler) {
  const struct {
    NodeRequirement requirement;
    bool want;
  } cases[] = {
      {{"board", Operator::kIn, {"pi3", "pi4"}}, true},
      {{"board", Operator::kIn, {"pi3"}}, false},
      {{"zone", Operator::kIn, {"a"}}, false},
      {{"disk", Operator::kIn, {""}}, true},
      {{"board", Operator::kNotIn, {"pi4"}}, false},
      {{"board", Operator::kNotIn, {"pi3"}}, true},
      {{"zone", Operator::kNotIn, {"a"}}, true},
      {{"disk", Operator::kExists, {}}, true},
      {{"zone", Operator::kExists, {}}, false},
      {{"zone", Operator::kDoesNotExist, {}}, true},
      {{"disk", Operator::kDoesNotExist, {}}, false},
      {{"ram-mib", Operator::kGreaterThan, {"1847"}}, true},
      {{"ram-mib", Operator::kGreaterThan, {"1848"}}, false},
      {{"ram-mib", Operator::kGreaterThan, {"-1"}}, true},
      {{"ram-mib", Operator::kLessThan, {"+1849"}}, true},
      {{"ram-mib", Operator::kLessThan, {"1848"}}, false},
      {{"size", Operator::kGreaterThan, {"1"}}, false},
      {{"zone", Operator::kLessThan, {"1"}}, false},
      {{"ram-mib", Operator::kGreaterThan, {"many"}}, false},
      {{"ram-mib", Operator::kGreaterThan, {}}, false},
  };
  for (const auto& one : cases) {
    const NodeAffinity affinity = OneTerm({one.requirement});
    EXPECT_EQ(Matches(affinity, Board()), one.want) << UnmetRequirements(affinity, Board());
    EXPECT_EQ(UnmetRequirements(affinity, Board()).empty(), one.want);
  }
}

TEST(NodeAffinity, AllRequirementsOfOneTermHaveToHold) {
  const NodeRequirement good{"board", Operator::kExists, {}};
  const NodeRequirement bad{"zone", Operator::kExists, {}};
  const NodeRequirement named{"metadata.name", Operator::kIn, {"pi4-a"}};
  const NodeRequirement not_named{"metadata.name", Operator::kNotIn, {"pi4-a"}};
  EXPECT_TRUE(Matches({}, Board()));
  EXPECT_TRUE(Matches(OneTerm({good}, {named}), Board()));
  EXPECT_FALSE(Matches(OneTerm({good, bad}), Board()));
  EXPECT_FALSE(Matches(OneTerm({good}, {not_named}), Board()));
  EXPECT_FALSE(Matches(OneTerm({}), Board())) << "a term without requirements matches no node";
  EXPECT_TRUE(Matches({{{{bad}, {}}, {{good}, {}}}}, Board()));
}

TEST(NodeAffinity, SaysWhatIsNotMetInOneShortLine) {
  const NodeAffinity affinity{{{{{"board", Operator::kNotIn, {"pi3", "pi4"}}}, {}},
                               {{}, {{"metadata.name", Operator::kIn, {"big"}}}},
                               {{{"zone", Operator::kExists, {}}}, {}}}};
  EXPECT_EQ(UnmetRequirements(affinity, Board()),
            "board NotIn pi3,pi4 or metadata.name In big or zone Exists");
  NodeAffinity long_one;
  for (int i = 0; i < 16; ++i) {
    long_one.terms.push_back({{{"zone", Operator::kIn, {std::string(63, 'z')}}}, {}});
  }
  EXPECT_LE(UnmetRequirements(long_one, Board()).size(), 170U);
}

TEST(NodeAffinity, OperatorsAreSpelledAsInManifests) {
  std::string all;
  for (const Operator op : AllNodeOperators()) all += ToString(op) + " ";
  EXPECT_EQ(all, "In NotIn Exists DoesNotExist Gt Lt ");
  for (const char* text : {"0", "-7", "+7", "9223372036854775807"}) {
    EXPECT_TRUE(IsWholeNumber(text)) << text;
  }
  for (const char* text : {"", "+", "-", "+-7", "1.5", " 1", "1 ", "9223372036854775808"}) {
    EXPECT_FALSE(IsWholeNumber(text)) << text;
  }
}

}  // namespace
}  // namespace evenkeel::model
