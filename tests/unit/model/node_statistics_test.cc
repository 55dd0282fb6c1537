#include "core/model/node_statistics.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

NodeStatistics Earlier() {
  NodeStatistics earlier;
  earlier.ratio = 9;
  earlier.threads = 8;
  earlier.completed = 5;
  earlier.cost = 50;
  earlier.stolen_in = 2;
  earlier.stolen_out = 3;
  earlier.busy_seconds = 1.5;
  earlier.rate = 30;
  earlier.mean_rate = 40;
  earlier.last_end = std::chrono::seconds(7);
  return earlier;
}

NodeStatistics Latest(const std::string& name) {
  NodeStatistics latest;
  latest.name = name;
  latest.ratio = 4.2;
  latest.threads = 4;
  latest.completed = 10;
  latest.cost = 100;
  latest.stolen_in = 1;
  latest.busy_seconds = 2.5;
  latest.rate = 60;
  latest.last_end = std::chrono::seconds(20);
  return latest;
}

TEST(NodeStatistics, WorkOfAttemptsIsSummed) {
  NodeStatistics node = Latest("a");
  node.AddEarlierAttempt(Earlier());
  EXPECT_EQ(node.completed, 15);
  EXPECT_EQ(node.cost, 150);
  EXPECT_EQ(node.busy_seconds, 4);
}

TEST(NodeStatistics, TheLaterEndCounts) {
  NodeStatistics node = Latest("a");
  node.AddEarlierAttempt(Earlier());
  EXPECT_EQ(node.last_end, std::chrono::seconds(20));
  node.last_end = {};  // nothing has ended in the latest attempt
  node.AddEarlierAttempt(Earlier());
  EXPECT_EQ(node.last_end, std::chrono::seconds(7));
}

TEST(NodeStatistics, PlanAndRatesAreThoseOfTheLatestAttempt) {
  NodeStatistics node = Latest("a");
  node.AddEarlierAttempt(Earlier());
  EXPECT_EQ(node.ratio, 4.2);
  EXPECT_EQ(node.threads, 4U);
  EXPECT_EQ(node.stolen_in, 1);
  EXPECT_EQ(node.stolen_out, 0);
  EXPECT_EQ(node.rate, 60);
  EXPECT_EQ(node.mean_rate, 0);
}

TEST(NodeStatistics, WeightIsTheRatioRoundedUp) {
  NodeStatistics node;
  EXPECT_EQ(node.Weight(), 0);
  node.ratio = 1;
  EXPECT_EQ(node.Weight(), 1);
  node.ratio = 4.2;
  EXPECT_EQ(node.Weight(), 5);
}

TEST(AddEarlierAttempts, RowsAreMatchedByName) {
  std::vector<NodeStatistics> rows = {Latest("a"), Latest("b")};
  AddEarlierAttempts({{"b", Earlier()}}, rows);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].completed, 10);
  EXPECT_EQ(rows[1].completed, 15);
}

TEST(AddEarlierAttempts, NodesThatAreGoneGetARowAtTheEnd) {
  std::vector<NodeStatistics> rows = {Latest("b")};
  AddEarlierAttempts({{"gone", Earlier()}, {"away", Earlier()}}, rows);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].name, "away");
  EXPECT_EQ(rows[2].name, "gone");
  EXPECT_EQ(rows[2].completed, 5);
  EXPECT_EQ(rows[2].ratio, 0) << "not in the latest attempt";
}

}  // namespace
}  // namespace evenkeel::model
