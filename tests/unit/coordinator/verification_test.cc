#include "coordinator/verification.h"

#include <gtest/gtest.h>

#include "coordinator/journal_queue.h"
#include "tests/unit/coordinator/empty_journal.h"
#include "tests/unit/coordinator/job_fakes.h"

namespace evenkeel::coordinator {
namespace {

JobVersion VersionWith(std::int64_t verified_share) {
  model::JobSpec spec = FakeSpec();
  spec.task_policy.verified_share = verified_share;
  return {spec, std::make_shared<FakeWorkload>(10)};
}

std::int64_t CountDrawn(const engine::VerificationRules& rules, model::TaskIndex tasks) {
  std::int64_t drawn = 0;
  for (model::TaskIndex i = 0; i < tasks; ++i) drawn += rules.draws(i) ? 1 : 0;
  return drawn;
}

model::ResultRecord RecordOf(model::IndexRange range, const std::string& node) {
  model::ResultRecord record;
  record.range = range;
  record.node = node;
  for (auto i = range.begin; i < range.end; ++i) record.results.Append(std::to_string(i));
  return record;
}

TEST(VerificationRulesOf, NothingIsVerifiedUnlessTheJobAsksForIt) {
  EXPECT_FALSE(VerificationRulesOf(VersionWith(0), "key"));
}

TEST(VerificationRulesOf, AsManyTasksAreDrawnAsTheShareSays) {
  constexpr model::TaskIndex kTasks = 200'000;
  for (const std::int64_t share : {100, 1000, 20'000, 50'000}) {
    const auto rules = VerificationRulesOf(VersionWith(share), "key");
    const double expected = static_cast<double>(kTasks) * static_cast<double>(share) / 100'000;
    EXPECT_NEAR(static_cast<double>(CountDrawn(*rules, kTasks)), expected,
                5 * std::sqrt(expected));  // five standard deviations, of a draw that is fixed
  }
  const auto all = VerificationRulesOf(VersionWith(model::kWholeJob), "key");
  EXPECT_EQ(CountDrawn(*all, kTasks), kTasks);
}

TEST(VerificationRulesOf, TheDrawIsAlwaysTheSameForAKeyAndAnotherForAnother) {
  const auto drawn = [](const std::string& key) {
    const auto rules = VerificationRulesOf(VersionWith(50'000), key);
    std::string text;
    for (model::TaskIndex i = 0; i < 64; ++i) text += rules->draws(i) ? '1' : '0';
    return text;
  };
  EXPECT_EQ(drawn("one"), drawn("one"));
  EXPECT_NE(drawn("one"), drawn("two"));
}

TEST(VerificationRulesOf, TheDigestIsSha256OfWhatTheWorkloadCompares) {
  const auto rules = VerificationRulesOf(VersionWith(1), "key");
  const engine::ResultDigest digest = rules->digest_of("abc");  // FIPS 180-4, example
  EXPECT_EQ(digest[0], 0xba);
  EXPECT_EQ(digest[1], 0x78);
  EXPECT_EQ(digest[31], 0xad);
}

class VerifiedJournal final : public EmptyJournal {
 public:
  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    for (const auto& record : records) {
      if (auto visited = visit(record); !visited) return visited;
    }
    return {};
  }
  [[nodiscard]] const JournalState& State() const override { return state; }
  std::vector<model::ResultRecord> records;
  JournalState state;
};

TEST(ReadVerified, TellsWhoseResultsThereAreAndWhatIsConfirmed) {
  VerifiedJournal journal;
  journal.records = {RecordOf({0, 3}, "a"), RecordOf({5, 6}, "b")};
  journal.state.confirmed = {{1, "b"}};
  journal.state.exclusions = {{"liar", 4, "wrong", 7}};
  const auto rules = VerificationRulesOf(VersionWith(model::kWholeJob), "key");
  const auto verified = ReadVerified(journal, rules);
  ASSERT_TRUE(verified);
  EXPECT_EQ(verified->results.at("a").Size(), 3);
  EXPECT_EQ(verified->results.at("b").Size(), 1);
  ASSERT_EQ(verified->drawn.size(), 4u);
  EXPECT_EQ(verified->drawn[0].second, "");
  EXPECT_EQ(verified->drawn[1].second, "b");
  EXPECT_EQ(verified->drawn[3].index, 5);
  EXPECT_EQ(verified->drawn[3].digest, rules->digest_of("5"));
  EXPECT_EQ(verified->exclusions.at(0).node, "liar");
  // The node stays left out if the job is no longer verified.
  EXPECT_EQ(ReadVerified(journal, std::nullopt)->exclusions.size(), 1u);
}

engine::Persist BatchOf(std::uint64_t id, const std::string& node, model::IndexRange range) {
  engine::Persist batch;
  batch.batch = engine::BatchId{id};
  batch.results.push_back(RecordOf(range, node));
  return batch;
}

TEST(JournalQueue, ResultsThatWaitForTheDiskAreDroppedWithTheirNode) {
  JournalQueue queue;
  queue.Add(BatchOf(1, "liar", {0, 3}));
  engine::Persist confirmed = BatchOf(2, "honest", {3, 5});
  confirmed.confirmations = {{3, "honest", "liar"}, {4, "honest", "other"}, {0, "liar", "other"}};
  queue.Add(std::move(confirmed));
  engine::Persist exclusion;
  exclusion.batch = engine::BatchId{3};
  exclusion.exclusions = {{"liar", 0, "wrong", 3}};
  queue.Add(std::move(exclusion));
  queue.Add(BatchOf(4, "other", {0, 3}));
  const JournalQueue::Group group = queue.Take();
  ASSERT_EQ(group.records.results.size(), 2u);
  EXPECT_EQ(group.records.results[0].node, "honest");
  EXPECT_EQ(group.records.results[1].node, "other");
  ASSERT_EQ(group.records.confirmations.size(), 1u);
  EXPECT_EQ(group.records.confirmations[0].index, 4);
  EXPECT_EQ(group.records.exclusions.size(), 1u);
  EXPECT_EQ(group.last, engine::BatchId{4});
}

}  // namespace
}  // namespace evenkeel::coordinator
