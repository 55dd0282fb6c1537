#include "http/connection_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace evenkeel::http {
namespace {

class ConnectionTableTest : public testing::Test {
 protected:
  std::optional<ConnectionTable::Id> Admit(const std::string& address) {
    return table_.Admit(address, [this, number = admitted_++] { closed_.push_back(number); });
  }

  ConnectionTable table_{4, 2};
  int admitted_ = 0;
  std::vector<int> closed_;
};

TEST_F(ConnectionTableTest, AnAddressReplacesItsOwnConnectionsFirst) {
  (void)Admit("a");
  (void)Admit("b");
  (void)Admit("b");
  EXPECT_TRUE(Admit("b"));
  EXPECT_EQ(closed_, std::vector<int>{1});
}

TEST_F(ConnectionTableTest, AFullTableReplacesTheLongestIdleOfAll) {
  const auto first = Admit("a");
  for (const char* address : {"b", "c", "d"}) (void)Admit(address);
  ASSERT_TRUE(table_.BeginRequest(*first));
  table_.EndRequest(*first);
  EXPECT_TRUE(Admit("e"));
  EXPECT_EQ(closed_, std::vector<int>{1});
}

TEST_F(ConnectionTableTest, BusyConnectionsStay) {
  const auto first = Admit("a");
  const auto second = Admit("a");
  ASSERT_TRUE(table_.BeginRequest(*first));
  ASSERT_TRUE(table_.BeginRequest(*second));
  EXPECT_FALSE(Admit("a"));
  EXPECT_TRUE(Admit("b"));
  table_.EndRequest(*second);
  EXPECT_TRUE(Admit("a"));
  EXPECT_EQ(closed_, std::vector<int>{1});
}

TEST_F(ConnectionTableTest, ARemovedConnectionGetsNoRequest) {
  const auto first = Admit("a");
  (void)Admit("a");
  EXPECT_TRUE(Admit("a"));
  EXPECT_FALSE(table_.BeginRequest(*first));
  table_.EndRequest(*first);
  table_.Remove(*first);
  EXPECT_TRUE(Admit("b"));
  EXPECT_EQ(closed_.size(), 1U);
}

TEST_F(ConnectionTableTest, RemovedConnectionsMakeRoom) {
  const auto first = Admit("a");
  (void)Admit("a");
  table_.Remove(*first);
  EXPECT_TRUE(Admit("a"));
  EXPECT_TRUE(closed_.empty());
}

}  // namespace
}  // namespace evenkeel::http
