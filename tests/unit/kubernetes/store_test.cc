#include "kubernetes/store.h"

#include <gtest/gtest.h>

namespace evenkeel::kube {
namespace {

using Texts = Store<std::string>;

Texts::Entry Text(const std::string& version, const std::string& text) {
  return {version, std::make_shared<const std::string>(text)};
}

std::vector<std::string> Words(const std::vector<Texts::Value>& values) {
  std::vector<std::string> words;
  for (const auto& value : values) words.push_back(*value);
  return words;
}

/// "pod on node" is found under the node.
std::vector<std::string> NodeOf(const ObjectKey&, const std::string& text) {
  const auto place = text.find(" on ");
  if (place == std::string::npos) return {};
  return {text.substr(place + 4)};
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { store_.AddIndex("node", NodeOf); }

  Texts store_;
  const ObjectKey a_{"space", "a"};
  const ObjectKey b_{"space", "b"};
};

TEST_F(StoreTest, FindsByKeyAndListsInOrder) {
  store_.Put(b_, Text("1", "two"));
  store_.Put(a_, Text("1", "one"));
  EXPECT_EQ(*store_.Find(a_), "one");
  EXPECT_EQ(store_.Find({"other", "a"}), nullptr);
  EXPECT_EQ(Words(store_.All()), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(store_.Keys(), (std::vector<ObjectKey>{a_, b_}));
  EXPECT_EQ(store_.Size(), 2u);
}

TEST_F(StoreTest, IndexesFollowChanges) {
  store_.Put(a_, Text("1", "pod on pi4a"));
  store_.Put(b_, Text("1", "pod"));
  EXPECT_EQ(Words(store_.Under("node", "pi4a")), std::vector<std::string>{"pod on pi4a"});
  store_.Put(a_, Text("2", "pod on pi3"));
  EXPECT_TRUE(store_.Under("node", "pi4a").empty());
  EXPECT_EQ(store_.Under("node", "pi3").size(), 1u);
  store_.Remove(a_);
  EXPECT_TRUE(store_.Under("node", "pi3").empty());
}

TEST_F(StoreTest, ReportsChanges) {
  const auto added = store_.Put(a_, Text("1", "old"));
  ASSERT_TRUE(added);
  EXPECT_EQ(added->before, nullptr);
  const auto updated = store_.Put(a_, Text("2", "new"));
  ASSERT_TRUE(updated);
  EXPECT_EQ(*updated->before, "old");
  EXPECT_EQ(*updated->after, "new");
  EXPECT_FALSE(store_.Put(a_, Text("2", "new"))) << "the same version again";
  const auto removed = store_.Remove(a_);
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed->before, "new");
  EXPECT_EQ(removed->after, nullptr);
  EXPECT_FALSE(store_.Remove(a_));
}

TEST_F(StoreTest, AnOpaqueVersionThatLooksOlderIsNewAllTheSame) {
  store_.Put(a_, Text("10", "old"));
  EXPECT_TRUE(store_.Put(a_, Text("9", "new")));
  EXPECT_EQ(*store_.Find(a_), "new");
}

TEST_F(StoreTest, ReplacingRemovesWhatIsGoneAndKeepsWhatIsTheSame) {
  store_.Put(a_, Text("1", "gone on pi4a"));
  store_.Put(b_, Text("1", "same"));
  const auto same = store_.Find(b_);
  const auto changes =
      store_.Replace({{b_, Text("1", "same")}, {{"space", "c"}, Text("1", "new")}});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].key, a_);
  EXPECT_EQ(changes[0].after, nullptr);
  EXPECT_EQ(*changes[1].after, "new");
  EXPECT_EQ(store_.Find(b_), same);
  EXPECT_TRUE(store_.Under("node", "pi4a").empty());
}

TEST_F(StoreTest, AValueThatWasReadOutlivesItsObject) {
  store_.Put(a_, Text("1", "kept"));
  const auto value = store_.Find(a_);
  store_.Replace({});
  EXPECT_EQ(*value, "kept");
  EXPECT_EQ(store_.Size(), 0u);
}

}  // namespace
}  // namespace evenkeel::kube
