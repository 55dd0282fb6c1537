#include "core/scheduling/energy/energy_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/scheduling/energy/accounting.h"

namespace evenkeel::scheduling {
namespace {

using model::NodePower;

const std::string kPower = "hardware.evenkeel.dev/power-watts";
const std::string kIdle = "hardware.evenkeel.dev/idle-power-watts";
const NodePower kPi4{6.4, 6.4 * kUsualIdleShare};
const NodePower kPi3{5.1, 5.1 * kUsualIdleShare};

PowerFacts Of(std::map<std::string, std::string> labels) {
  model::NodeProfile node;
  node.labels = std::move(labels);
  return CollectPower(node);
}

model::EnergySpec Within(double factor) {
  model::EnergySpec spec;
  spec.time_factor = factor;
  return spec;
}

TEST(CollectPower, TakesLabelsThenTheCatalogue) {
  EXPECT_EQ(Of({{kPower, "6.4"}, {kIdle, "2.7"}}).power, (NodePower{6.4, 2.7}));
  EXPECT_TRUE(Of({{kPower, "6.4"}, {kIdle, "2.7"}}).notes.empty());
  EXPECT_EQ(Of({{"hardware.evenkeel.dev/model", "raspberry-pi-4b"}}).power, kPi4);
  EXPECT_EQ(Of({}).power, std::nullopt);
  EXPECT_EQ(Of({{kPower, "much"}, {"hardware.evenkeel.dev/model", "raspberry-pi-4b"}}).power,
            std::nullopt);
}

TEST(CollectPower, SaysWhatIsAssumed) {
  EXPECT_EQ(Of({{kPower, "10"}}).power, (NodePower{10, 4}));
  EXPECT_EQ(Of({{kPower, "10"}}).notes,
            std::vector<std::string>{"idle-power-watts: not known, took 0.4 of power-watts"});
  EXPECT_EQ(Of({{kPower, "10"}, {kIdle, "11"}}).power, (NodePower{10, 4}));
  EXPECT_EQ(Of({{kPower, "10"}, {kIdle, "low"}}).notes,
            std::vector<std::string>{"idle-power-watts: cannot be read, took 0.4 of power-watts"});
  EXPECT_EQ(Of({{kPower, "10"}, {kIdle, "0"}}).power, (NodePower{10, 0}));
}

TEST(Accounting, SplitsWhatTasksTakeFromIdleDraw) {
  const auto joules = model::JoulesOf({10, 4}, 60, 4, 20);
  EXPECT_DOUBLE_EQ(joules.dynamic, 90);  // 15 s with all threads busy
  EXPECT_DOUBLE_EQ(joules.idle, 80);
  EXPECT_DOUBLE_EQ(Counted(joules, model::IdlePower::kIgnored), 90);
  EXPECT_DOUBLE_EQ(Counted(joules, model::IdlePower::kCounted), 170);
  EXPECT_EQ(OfThreads({10, 4}, 2, 4), (NodePower{7, 4}));
  EXPECT_EQ(OfThreads({10, 4}, 8, 4), (NodePower{10, 4}));
}

TEST(ChooseForEnergy, LeavesTheSlowBoardOfTheTrioOut) {
  const std::vector<EnergyCandidate> trio = {{4.27, kPi4}, {4.31, kPi4}, {1, kPi3}};
  const auto at_once = ChooseForEnergy(trio, Within(1));
  ASSERT_TRUE(at_once);
  EXPECT_GT(at_once->shares[2], 0);
  EXPECT_DOUBLE_EQ(at_once->time, 1);
  const auto within = ChooseForEnergy(trio, Within(1.25));
  ASSERT_TRUE(within);
  EXPECT_EQ(within->shares[2], 0);
  EXPECT_EQ(within->left_out_ratio, 1);
  EXPECT_NEAR(within->time, 9.58 / 8.58, 1e-9);  // the others differ too little to wait for
  EXPECT_NEAR(within->joules_per_unit[2], 5.1 / (6.4 / 4.31), 1e-9);
}

TEST(ChooseForEnergy, AnUnknownNodeIsAMeanOne) {
  std::vector<EnergyCandidate> nodes = {{1, NodePower{2, 0}}, {1, NodePower{8, 0}}, {2, {}}};
  auto choice = ChooseForEnergy(nodes, Within(1.5));
  ASSERT_TRUE(choice);
  EXPECT_NEAR(choice->joules_per_unit[2], 2, 1e-9);  // sqrt(2 * 8) to 2
  nodes[0].power.reset();
  nodes[1].power.reset();
  EXPECT_FALSE(ChooseForEnergy(nodes, Within(1.5)));
  EXPECT_FALSE(ChooseForEnergy({}, Within(1.5)));
}

TEST(ChooseForEnergy, IdlePowerChangesTheOrder) {
  // A frugal board that idles at much, and one that takes more for its work and idles at nothing.
  const std::vector<EnergyCandidate> nodes = {{1, NodePower{10, 8}}, {1, NodePower{6, 0}}};
  model::EnergySpec spec = Within(3);
  EXPECT_GT(ChooseForEnergy(nodes, spec)->shares[0], 0.99);
  spec.idle_power = model::IdlePower::kCounted;
  EXPECT_GT(ChooseForEnergy(nodes, spec)->shares[1], 0.99);
}

TEST(ChooseForEnergy, ALostNodeBringsOthersIn) {
  const std::vector<EnergyCandidate> left = {{4.27, kPi4}, {1, kPi3}};
  EXPECT_EQ(ChooseForEnergy(left, Within(1.5))->shares[1], 0);
  EXPECT_GT(ChooseForEnergy(left, Within(1.5), 9.58)->shares[1], 0);
}

}  // namespace
}  // namespace evenkeel::scheduling
