#include "core/scheduling/fuzzy/node_facts.h"

#include <gtest/gtest.h>

#include "core/model/decimal.h"
#include "core/scheduling/fuzzy/board_catalogue.h"
#include "tests/unit/scheduling/pi_trio.h"

namespace evenkeel::scheduling {
namespace {

std::optional<double> NumberOf(const model::NodeProfile& node, const std::string& name) {
  const auto facts = CollectFacts(node).facts;
  const auto found = facts.find(name);
  return found == facts.end() ? std::nullopt : found->second.number;
}

model::NodeProfile BareNode() {
  model::NodeProfile node;
  node.name = "bare";
  node.architecture = "arm64";
  node.os_image = "Debian GNU/Linux 12 (bookworm)";
  node.cpu_millicores = 4000;
  node.memory_bytes = 2ll << 30;
  node.ephemeral_storage_bytes = 32'000'000'000;
  return node;
}

TEST(NodeFacts, TheStatusSpeaksWhereNoLabelDoes) {
  const auto node = BareNode();
  EXPECT_EQ(NumberOf(node, fact::kOsBits), 64);
  EXPECT_EQ(NumberOf(node, fact::kRamMib), 2048);
  EXPECT_EQ(NumberOf(node, fact::kSdGb), 32);
  EXPECT_EQ(NumberOf(node, fact::kCpuCores), 4);
  EXPECT_EQ(NumberOf(node, fact::kOsReleaseDate), model::ParseIsoDate("2023-06-10"));
  EXPECT_FALSE(NumberOf(node, fact::kCpu).has_value());
  EXPECT_FALSE(NumberOf(node, fact::kPowerWatts).has_value());
}

TEST(NodeFacts, ALabelOverrulesTheStatus) {
  auto node = BareNode();
  node.labels = {{fact::kOsBits, "32"}, {fact::kRamMib, "1024"}, {fact::kSdGb, "nonsense"}};
  EXPECT_EQ(NumberOf(node, fact::kOsBits), 32);
  EXPECT_EQ(NumberOf(node, fact::kRamMib), 1024);
  EXPECT_FALSE(NumberOf(node, fact::kSdGb).has_value()) << "unreadable, not guessed";
}

TEST(NodeFacts, AModelBringsCoreClockAndPower) {
  auto node = BareNode();
  node.labels = {{fact::kModel, "raspberry-pi-5"}};
  EXPECT_EQ(NumberOf(node, fact::kCpu), 2.2 * 2400);
  EXPECT_EQ(NumberOf(node, fact::kPowerWatts), 8.8);
  node.labels[fact::kCpuMhz] = "1200";
  EXPECT_EQ(NumberOf(node, fact::kCpu), 2.2 * 1200);
}

TEST(NodeFacts, ACoreAloneBringsItsUsualBoard) {
  EXPECT_EQ(NumberOf(NodeOf("n", {{"cpu", "ARM-Cortex-A72"}}), fact::kCpu), 1.7 * 1500);
  EXPECT_EQ(NumberOf(NodeOf("n", {{"cpu", "cortex-a53"}}), fact::kPowerWatts), 5.1);
}

TEST(NodeFacts, FeatureDiscoveryNamesArmCoresByMainIdRegister) {
  const std::string nfd = "feature.node.kubernetes.io/";
  auto node = BareNode();
  node.labels = {{nfd + "cpu-model.vendor_id", "ARM"},
                 {nfd + "cpu-model.id", std::to_string((0xd08 << 4) | 3)}};
  EXPECT_EQ(NumberOf(node, fact::kCpu), 1.7 * 1500);
  node.labels[nfd + "cpu-model.id"] = std::to_string(0xd0b);
  EXPECT_EQ(NumberOf(node, fact::kCpu), 2.2 * 2400);
  node.labels[nfd + "cpu-model.id"] = "x";
  EXPECT_FALSE(NumberOf(node, fact::kCpu).has_value());
  node.labels = {{nfd + "cpu-model.vendor_id", "Intel"}};
  EXPECT_EQ(NumberOf(node, fact::kCpu), 2.5 * 2500);
}

TEST(NodeFacts, FeatureDiscoveryTellsTheSystem) {
  auto node = BareNode();
  node.labels = {{"feature.node.kubernetes.io/system-os_release.ID", "ubuntu"},
                 {"feature.node.kubernetes.io/system-os_release.VERSION_ID", "22.04"}};
  EXPECT_EQ(NumberOf(node, fact::kOsReleaseDate), model::ParseIsoDate("2022-04-21"));
}

TEST(NodeFacts, AnUnreadableClockFallsBackToTheUsualOneWithANote) {
  const auto facts = CollectFacts(NodeOf("n", {{"cpu", "Cortex-A72"}, {"cpu-mhz", "fast"}}));
  EXPECT_EQ(facts.facts.at(fact::kCpu).number, 1.7 * 1500);
  ASSERT_EQ(facts.notes.size(), 1u);
  EXPECT_EQ(facts.notes[0], "cpu-mhz: cannot read \"fast\", took the usual 1500 MHz");
}

TEST(NodeFacts, TheControlPlaneHasExtraLoadUnlessLabelled) {
  auto node = BareNode();
  EXPECT_EQ(CollectFacts(node).facts.at(fact::kExtraLoad).text, "norm");
  node.labels["node-role.kubernetes.io/control-plane"] = "true";
  EXPECT_EQ(CollectFacts(node).facts.at(fact::kExtraLoad).text, "above-norm");
  node.labels[fact::kExtraLoad] = "norm";
  EXPECT_EQ(CollectFacts(node).facts.at(fact::kExtraLoad).text, "norm");
}

TEST(BoardCatalogue, KnowsBoardsByTheirManyNames) {
  for (const char* name :
       {"raspberry-pi-4b", "Raspberry_Pi_4B", "pi4b", "Pi-4B", "Raspberry Pi 4 Model B Rev 1.4"}) {
    ASSERT_TRUE(FindBoard(name).has_value()) << name;
    EXPECT_EQ(FindBoard(name)->mhz, 1500);
  }
  EXPECT_EQ(FindBoard("Raspberry Pi 3 Model B Plus Rev 1.3")->mhz, 1400);
  EXPECT_EQ(FindBoard("pi3b+")->mhz, 1400);
  EXPECT_EQ(FindBoard("Raspberry Pi Zero 2 W Rev 1.0")->mhz, 1000);
  EXPECT_EQ(FindBoard("Raspberry Pi Compute Module 4 Rev 1.0")->model, "raspberry-pi-cm4");
  EXPECT_EQ(FindBoard("Raspberry Pi 5 Model B Rev 1.0")->model, "raspberry-pi-5");
  EXPECT_EQ(FindBoard("Raspberry Pi Model B Rev 2")->model, "raspberry-pi-1b");
  EXPECT_EQ(FindBoard("Raspberry Pi Model B Plus Rev 1.2")->model, "raspberry-pi-1b");
  for (const char* name : {"", "pi", "zx81", "rev"}) EXPECT_FALSE(FindBoard(name)) << name;
}

TEST(BoardCatalogue, TellsSimilarCoresApart) {
  EXPECT_EQ(FindCore("Cortex-A7")->name, "cortex-a7");
  EXPECT_EQ(FindCore("ARM_Cortex-A72_1.5GHz")->name, "cortex-a72");
  EXPECT_EQ(FindCore("ARM1176JZF-S")->name, "arm1176");
  EXPECT_EQ(FindCore("x86_64")->name, "x86-64");
  for (const char* name : {"", "Cortex", "Cortex-A720", "purple"})
    EXPECT_FALSE(FindCore(name)) << name;
}

TEST(BoardCatalogue, EveryUsualBoardIsInIt) {
  for (const char* core :
       {"arm1176", "cortex-a7", "cortex-a53", "cortex-a72", "cortex-a76", "x86-64"}) {
    const auto found = FindCore(core);
    ASSERT_TRUE(found.has_value()) << core;
    ASSERT_TRUE(FindBoard(found->usual_board).has_value()) << core;
    EXPECT_EQ(FindBoard(found->usual_board)->core_name, found->name);
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
