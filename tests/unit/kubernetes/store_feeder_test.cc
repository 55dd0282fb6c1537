#include <gtest/gtest.h>

#include "kubernetes/store.h"

namespace evenkeel::kube {
namespace {

/// Keeps one number of an object and notes what the handlers hear.
class StoreFeederTest : public ::testing::Test {
 protected:
  StoreFeederTest() {
    feeder_.AddHandler({[this](const ObjectKey& key, const int& now) {
                          heard_ += "+" + key.name + std::to_string(now);
                        },
                        [this](const ObjectKey& key, const int& before, const int& now) {
                          heard_ += "~" + key.name + std::to_string(before) + std::to_string(now);
                        },
                        [this](const ObjectKey& key, const int& last) {
                          heard_ += "-" + key.name + std::to_string(last);
                        }});
  }

  static Result<int> Number(const Json& object) {
    ++projected_;
    if (!object.contains("number")) return InvalidInput("no number");
    return object["number"].get<int>();
  }

  void Put(const std::string& name, const std::string& version, int number) {
    feeder_.Put({{"", name}, version}, {{"number", number}});
  }

  /// The handlers' calls since the last call of this function.
  std::string Heard() { return std::exchange(heard_, ""); }

  static inline int projected_ = 0;
  Store<int> store_;
  StoreFeeder<int> feeder_{store_, Number};
  std::string heard_;
};

TEST_F(StoreFeederTest, AListShowsOnlyWhenItIsComplete) {
  feeder_.BeginList();
  Put("a", "1", 1);
  Put("b", "1", 2);
  EXPECT_EQ(store_.Size(), 0u);
  EXPECT_FALSE(feeder_.Synced());
  feeder_.CompleteList();
  EXPECT_TRUE(feeder_.Synced());
  EXPECT_EQ(Heard(), "+a1+b2");
}

TEST_F(StoreFeederTest, EventsShowAtOnce) {
  feeder_.BeginList();
  feeder_.CompleteList();
  Put("a", "1", 1);
  Put("a", "2", 5);
  feeder_.Remove({{"", "a"}, "3"});
  feeder_.Remove({{"", "a"}, "3"});
  EXPECT_EQ(Heard(), "+a1~a15-a5");
}

TEST_F(StoreFeederTest, ANewListSynthesizesTheDeletionsNobodySaw) {
  feeder_.BeginList();
  Put("a", "1", 1);
  Put("b", "1", 2);
  Put("c", "1", 3);
  feeder_.CompleteList();
  Heard();
  feeder_.BeginList();
  Put("c", "9", 4);
  Put("b", "1", 2);
  EXPECT_EQ(*store_.Find({"", "a"}), 1) << "the old set stands until the new one is complete";
  feeder_.CompleteList();
  EXPECT_EQ(Heard(), "-a1~c34");
}

TEST_F(StoreFeederTest, AListThatBrokeOffLeavesNothing) {
  feeder_.BeginList();
  Put("ghost", "1", 1);
  feeder_.BeginList();
  Put("a", "1", 1);
  feeder_.CompleteList();
  EXPECT_EQ(Heard(), "+a1");
}

TEST_F(StoreFeederTest, DeletionsWithinAListCount) {
  feeder_.BeginList();
  Put("a", "1", 1);
  feeder_.Remove({{"", "a"}, "2"});
  feeder_.CompleteList();
  EXPECT_EQ(Heard(), "");
}

TEST_F(StoreFeederTest, WhatIsKnownIsNotReadAgain) {
  feeder_.BeginList();
  Put("a", "1", 1);
  feeder_.CompleteList();
  const int before = projected_;
  const auto value = store_.Find({"", "a"});
  feeder_.BeginList();
  Put("a", "1", 1);
  feeder_.CompleteList();
  EXPECT_EQ(projected_, before);
  EXPECT_EQ(store_.Find({"", "a"}), value);
}

TEST_F(StoreFeederTest, AnObjectThatCannotBeReadIsLeftOut) {
  feeder_.BeginList();
  Put("a", "1", 1);
  feeder_.Put({{"", "b"}, "1"}, Json::object());
  feeder_.CompleteList();
  EXPECT_EQ(Heard(), "+a1");
  feeder_.Put({{"", "a"}, "2"}, Json::object());
  EXPECT_EQ(Heard(), "-a1") << "an old value would be a wrong one";
}

TEST_F(StoreFeederTest, WaitingEndsWithTime) {
  std::stop_source stop;
  EXPECT_FALSE(feeder_.WaitUntilSynced(std::chrono::milliseconds(1), stop.get_token()));
  feeder_.BeginList();
  feeder_.CompleteList();
  EXPECT_TRUE(feeder_.WaitUntilSynced(std::chrono::milliseconds(1), stop.get_token()));
}

}  // namespace
}  // namespace evenkeel::kube
