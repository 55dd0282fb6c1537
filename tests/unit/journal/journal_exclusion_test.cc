#include "tests/unit/journal/journal_fixture.h"

namespace evenkeel::coordinator {
namespace {

model::ResultRecord Range(model::TaskIndex begin, model::TaskIndex end, const std::string& node) {
  model::ResultRecord record = OneTask(begin, node);
  record.range = {begin, end};
  record.results = model::PackedResults::OfEqualSize(
      end - begin, 2, std::string(static_cast<std::size_t>(2 * (end - begin)), 'r'));
  return record;
}

/// The nodes of all results, by their first task.
std::map<model::TaskIndex, std::string> NodesOf(const Journal& journal) {
  std::map<model::TaskIndex, std::string> nodes;
  EXPECT_TRUE(journal.ForEachResult([&](const model::ResultRecord& record) -> Result<void> {
    nodes[record.range.begin] = record.node;
    return {};
  }));
  return nodes;
}

TEST_F(JournalTest, ResultsAndConfirmationsOfAnExcludedNodeAreRemoved) {
  {
    const auto journal = MustOpen();
    ASSERT_TRUE(journal->Append(
        {.results = {Range(0, 10, "honest"), Range(10, 20, "liar"), Range(20, 30, "other")},
         .confirmations = {{5, "honest", "other"},
                           {6, "honest", "liar"},
                           {15, "liar", "honest"},
                           {20, "other", "honest"},
                           {29, "other", "liar"}}}));
    ASSERT_TRUE(journal->Append({.results = {Range(10, 14, "honest")},
                                 .confirmations = {{11, "honest", "other"}},
                                 .exclusions = {{"liar", 12, "it gave a wrong result", 10}}}));
    EXPECT_EQ(NodesOf(*journal), (std::map<model::TaskIndex, std::string>{
                                     {0, "honest"}, {10, "honest"}, {20, "other"}}));
  }
  const auto journal = MustOpen();
  const JournalState& state = journal->State();
  EXPECT_EQ(state.completed.Size(), 24);
  EXPECT_FALSE(state.completed.Contains(14));
  EXPECT_EQ(state.confirmed,
            (std::map<model::TaskIndex, std::string>{{5, "other"}, {11, "other"}, {20, "honest"}}));
  ASSERT_EQ(state.exclusions.size(), 1u);
  EXPECT_EQ(state.exclusions[0].node, "liar");
  EXPECT_EQ(state.exclusions[0].index, 12);
  EXPECT_EQ(state.exclusions[0].reason, "it gave a wrong result");
  EXPECT_EQ(state.exclusions[0].revoked, 10);
}

TEST_F(JournalTest, EachJournalHasItsOwnKeyAndKeepsIt) {
  const std::string key = MustOpen()->State().draw_key;
  EXPECT_EQ(key.size(), 16u);
  EXPECT_EQ(MustOpen()->State().draw_key, key);
  std::filesystem::remove(File());
  EXPECT_NE(MustOpen()->State().draw_key, key);
}

TEST_F(JournalTest, AJournalOfFormat2IsConverted) {
  ASSERT_TRUE(MustOpen()->Append({.results = {Range(0, 10, "pi")}}));
  Execute(File(),
          "ALTER TABLE job DROP COLUMN draw_key; DROP TABLE confirmations;"
          "DROP TABLE exclusions; PRAGMA user_version = 2");
  const auto journal = MustOpen();
  EXPECT_EQ(journal->State().completed.Size(), 10);
  EXPECT_EQ(journal->State().draw_key.size(), 16u);
  EXPECT_TRUE(journal->Append({.confirmations = {{3, "pi", "nas"}}}));
  EXPECT_TRUE(journal->Append({.exclusions = {{"nas", 3, "wrong", 0}}}));
}

TEST_F(JournalTest, AConfirmationWithoutAResultIsDamage) {
  ASSERT_TRUE(MustOpen()->Append({.results = {Range(0, 10, "pi")}}));
  Execute(File(), "INSERT INTO confirmations VALUES(10, 1)");
  ExpectRefused(PrimesJob(), ErrorCode::kInternal,
                "journal.db is damaged: task 10 is confirmed and has no result");
}

}  // namespace
}  // namespace evenkeel::coordinator
