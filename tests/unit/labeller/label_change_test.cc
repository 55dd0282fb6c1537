#include "labeller/label_change.h"

#include <gtest/gtest.h>

#include "labeller/node_labels.h"

namespace evenkeel::labeller {
namespace {

using Changes = std::map<std::string, std::optional<std::string>>;

std::string Full(const std::string& name) { return kLabelPrefix + name; }

/// Applies a change to the node.
void Apply(const LabelChange& change, NodeMetadata& node) {
  for (const auto& [label, value] : change.labels) {
    if (value) {
      node.labels[label] = *value;
    } else {
      node.labels.erase(label);
    }
  }
  if (change.memory) node.annotations[kMemory] = *change.memory;
}

TEST(LabelChange, SetsAndRemembers) {
  NodeMetadata node;
  const LabelChange change = PlanChange(node, {{Full("cpu"), "cortex-a72"}, {Full("sd-gb"), "8"}});
  EXPECT_EQ(change.labels, (Changes{{Full("cpu"), "cortex-a72"}, {Full("sd-gb"), "8"}}));
  EXPECT_EQ(change.memory, "cpu=cortex-a72,sd-gb=8");
}

TEST(LabelChange, NothingTwice) {
  const Labels wanted{{Full("cpu"), "cortex-a72"}};
  NodeMetadata node;
  Apply(PlanChange(node, wanted), node);
  EXPECT_TRUE(PlanChange(node, wanted).Empty());
}

TEST(LabelChange, RemovesItsOwnThatAreNotTrueAnyMore) {
  NodeMetadata node;
  Apply(PlanChange(node, {{Full("cpu"), "a"}, {Full("sd-gb"), "8"}}), node);
  const LabelChange change = PlanChange(node, {{Full("cpu"), "a"}});
  EXPECT_EQ(change.labels, (Changes{{Full("sd-gb"), std::nullopt}}));
  EXPECT_EQ(change.memory, "cpu=a");
}

TEST(LabelChange, LabelsOfOthersWin) {
  NodeMetadata node;
  node.labels = {{Full("cpu"), "by-hand"}, {"kubernetes.io/arch", "arm64"}};
  const LabelChange change = PlanChange(
      node, {{Full("cpu"), "cortex-a72"}, {Full("sd-gb"), "8"}, {"kubernetes.io/arch", "arm"}});
  EXPECT_EQ(change.labels, (Changes{{Full("sd-gb"), "8"}}));
  EXPECT_EQ(change.memory, "sd-gb=8");
}

TEST(LabelChange, ALabelThatIsChangedByHandIsLeftAlone) {
  NodeMetadata node;
  Apply(PlanChange(node, {{Full("cpu-mhz"), "1500"}}), node);
  node.labels[Full("cpu-mhz")] = "2000";
  const LabelChange change = PlanChange(node, {{Full("cpu-mhz"), "1500"}});
  EXPECT_TRUE(change.labels.empty());
  EXPECT_EQ(change.memory, "");
  Apply(change, node);
  EXPECT_TRUE(PlanChange(node, {}).Empty()) << "and is not removed";
}

TEST(LabelChange, ALabelThatIsRemovedByHandComesBack) {
  NodeMetadata node;
  Apply(PlanChange(node, {{Full("cpu"), "a"}}), node);
  node.labels.clear();
  EXPECT_EQ(PlanChange(node, {{Full("cpu"), "a"}}).labels, (Changes{{Full("cpu"), "a"}}));
  const LabelChange forgotten = PlanChange(node, {});
  EXPECT_TRUE(forgotten.labels.empty());
  EXPECT_EQ(forgotten.memory, "");
}

TEST(LabelChange, AScoreChangesOnlyIfItDiffersAndStaysIfThereIsNone) {
  const std::string score = Full("probe-score");
  NodeMetadata node;
  Apply(PlanChange(node, {{score, "500000000"}}), node);
  EXPECT_TRUE(PlanChange(node, {{score, "520000000"}}).Empty());
  EXPECT_TRUE(PlanChange(node, {}).Empty());
  EXPECT_EQ(PlanChange(node, {{score, "600000000"}}).labels, (Changes{{score, "600000000"}}));
}

TEST(LabelChange, AnInvalidMemoryIsDropped) {
  for (const char* memory : {"", "=", ",,,", "cpu", "=a,b", "\n"}) {
    NodeMetadata node;
    node.annotations[kMemory] = memory;
    node.labels[Full("cpu")] = "by-hand";
    EXPECT_TRUE(PlanChange(node, {{Full("cpu"), "x"}}).labels.empty()) << memory;
  }
}

/// A node with concurrent changes by another client.
class FakeNode final : public NodeLabels {
 public:
  Result<NodeMetadata> Read() override {
    if (broken) return Fail(ErrorCode::kUnavailable, "no API server");
    NodeMetadata read = node;
    read.resource_version = std::to_string(version);
    return read;
  }
  Result<void> Change(const LabelChange& change, const std::string& resource_version) override {
    if (conflicts-- > 0) ++version;
    if (resource_version != std::to_string(version)) return Fail(ErrorCode::kConflict, "changed");
    Apply(change, node);
    ++changes;
    return {};
  }

  NodeMetadata node;
  int version = 1;
  int conflicts = 0;
  int changes = 0;
  bool broken = false;
};

TEST(ApplyLabels, ChangesOnlyWhatDiffers) {
  FakeNode node;
  ASSERT_TRUE(ApplyLabels(node, {{Full("cpu"), "a"}}));
  ASSERT_TRUE(ApplyLabels(node, {{Full("cpu"), "a"}}));
  EXPECT_EQ(node.changes, 1);
}

TEST(ApplyLabels, RetriesAfterConflictsWithinALimit) {
  FakeNode node;
  node.conflicts = 3;
  EXPECT_TRUE(ApplyLabels(node, {{Full("cpu"), "a"}}));
  EXPECT_EQ(node.node.labels.at(Full("cpu")), "a");
  node.conflicts = 4;
  const auto given_up = ApplyLabels(node, {{Full("cpu"), "b"}});
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, ErrorCode::kConflict);
}

TEST(ApplyLabels, ReportsWhyItCannotRead) {
  FakeNode node;
  node.broken = true;
  const auto failed = ApplyLabels(node, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no API server");
}

}  // namespace
}  // namespace evenkeel::labeller
