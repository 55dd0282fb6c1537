#include <gtest/gtest.h>

#include "core/protocol/limits.h"
#include "core/protocol/translation.h"

namespace evenkeel::protocol {
namespace {

using std::chrono::milliseconds;

/// Over the wire as bytes and back.
template <typename Batch, typename Message>
auto OverTheWire(Message message) {
  Batch batch;
  for (auto& item : ToProto(std::move(message))) *batch.add_items() = std::move(item);
  Batch received;
  EXPECT_TRUE(received.ParseFromString(batch.SerializeAsString()));
  return FromProto(std::move(received));
}

void ExpectRoundTrip(const engine::ToCoordinator& message) {
  const auto read = OverTheWire<v1::WorkerMessage>(message);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, std::vector<engine::ToCoordinator>{message});
}

void ExpectRoundTrip(const engine::ToWorker& message) {
  const auto read = OverTheWire<v1::CoordinatorMessage>(message);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, std::vector<engine::ToWorker>{message});
}

model::PackedResults Unequal() {
  model::PackedResults results;
  for (const char* result : {"", "ab", "c"}) results.Append(result);
  return results;
}

TEST(RoundTrip, EveryKindFromTheWorker) {
  const engine::Grant held{engine::GrantId{7}, {10, 20}, true};
  ExpectRoundTrip(engine::ToCoordinator{
      engine::Hello{1, "pi-1", "incarnation", 4, "primes", 2, 9, "token", {held}, 4.25, "boot-7"}});
  engine::Hello later{1, "pi-1", "i2", 4, "custom.mandelbrot", 2, 9, "", {}};
  later.epoch_tag = std::string("tag\0", 4);
  ExpectRoundTrip(engine::ToCoordinator{later});
  engine::Report report;
  report.completed.push_back({{0, 4},
                              milliseconds(9),
                              milliseconds(3),
                              milliseconds(5),
                              true,
                              model::PackedResults::OfEqualSize(4, 2, "aabbccdd"),
                              milliseconds(2),
                              {1'000'000, milliseconds(6)}});
  report.completed.push_back({{9, 12}, milliseconds(3), {}, {}, false, Unequal()});
  report.failed.push_back({20, "exit code 1", milliseconds(2), engine::GrantId{7}, 1, "said"});
  report.failed.push_back({21, "lost its way", milliseconds(2), engine::GrantId{7}});
  report.failed.push_back(
      {22, "lost", {}, {}, {}, {}, model::FailureCause::kRunnerLost, {{-5, 9}}});
  report.running = {{22, milliseconds(900)}, {40, milliseconds(1500)}};
  ExpectRoundTrip(engine::ToCoordinator{report});
  ExpectRoundTrip(engine::ToCoordinator{engine::Report{}});
  ExpectRoundTrip(engine::ToCoordinator{engine::Report{{}, {}, true}});
  ExpectRoundTrip(engine::ToCoordinator{engine::GiveBack{engine::RecallId{3}, {held}}});
  ExpectRoundTrip(engine::ToCoordinator{engine::Goodbye{}});
}

TEST(RoundTrip, EveryKindFromTheCoordinator) {
  ExpectRoundTrip(engine::ToWorker{engine::Welcome{3, "primes", R"({"end":10})", milliseconds(50),
                                                   milliseconds(10000), false, kMaxDuration}});
  engine::Welcome tagged;
  tagged.epoch_tag = std::string("tag\0", 4);
  ExpectRoundTrip(engine::ToWorker{tagged});
  ExpectRoundTrip(engine::ToWorker{engine::Refusal{"unknown version"}});
  ExpectRoundTrip(engine::ToWorker{
      engine::Assign{{{engine::GrantId{1}, {0, 5}, false}, {engine::GrantId{2}, {7, 8}, true}}}});
  ExpectRoundTrip(engine::ToWorker{engine::Recall{engine::RecallId{5}, 12, true}});
  ExpectRoundTrip(engine::ToWorker{engine::Acknowledge{{{0, 5}, {7, 9}}}});
  ExpectRoundTrip(engine::ToWorker{engine::Cancel{{{1, 2}}, engine::GrantId{7}}});
  ExpectRoundTrip(engine::ToWorker{engine::Finish{"complete"}});
}

TEST(RoundTrip, StampsAndEchoesTravel) {
  const engine::ClockStamp stamp{std::uint64_t{1} << 60};
  const engine::StampEcho echo{stamp, milliseconds(7)};
  ExpectRoundTrip(engine::ToWorker{engine::Welcome{1, "j", "{}", {}, {}, true, {}, stamp}});
  ExpectRoundTrip(engine::ToWorker{engine::Recall{engine::RecallId{5}, 12, false, stamp}});
  ExpectRoundTrip(engine::ToWorker{engine::Acknowledge{{{0, 5}}, 3, stamp}});
  ExpectRoundTrip(engine::ToCoordinator{engine::Report{{}, {}, false, echo}});
  ExpectRoundTrip(engine::ToCoordinator{engine::GiveBack{engine::RecallId{3}, {}, echo}});
}

TEST(RoundTrip, OnlyTheFirstPartOfALargeReportHasTheEcho) {
  engine::Report report;
  report.echo = {engine::ClockStamp{9}, milliseconds(1)};
  for (model::TaskIndex i = 0; i < 2; ++i) {
    report.failed.push_back({i, "no", {}, {}, {}, std::string(800'000, 'r')});
  }
  const auto read = OverTheWire<v1::WorkerMessage>(engine::ToCoordinator{report});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(std::get<engine::Report>((*read)[0]).echo, report.echo);
  EXPECT_EQ(std::get<engine::Report>((*read)[1]).echo, engine::StampEcho{});
}

TEST(RoundTrip, AttemptsAndInputsTravelWithTheGrant) {
  const model::TaskInputs inputs(7, Unequal());
  ExpectRoundTrip(
      engine::ToWorker{engine::Assign{{{engine::GrantId{1}, {3, 4}, false, 2, {}},
                                       {engine::GrantId{2}, {7, 10}, true, 0, inputs}}}});
}

TEST(RoundTrip, AGrantWithLargeInputsIsCutIntoParts) {
  model::PackedResults packed;
  for (int task = 0; task < 10; ++task)
    packed.Append(std::string(400'000, static_cast<char>('a' + task)));
  const engine::Assign assign{
      {{engine::GrantId{5}, {20, 30}, false, 0, model::TaskInputs(20, packed)}}};
  model::TaskIndex next = 20;
  for (auto& item : ToProto(engine::ToWorker{assign})) {
    EXPECT_LE(item.ByteSizeLong(), static_cast<std::size_t>(kBatchBytes) + 1000);
    v1::CoordinatorMessage batch;
    *batch.add_items() = std::move(item);
    const auto read = FromProto(std::move(batch));
    ASSERT_TRUE(read) << read.error().message;
    for (const engine::Grant& part : std::get<engine::Assign>(read->front()).grants) {
      EXPECT_EQ(part.id, engine::GrantId{5});
      ASSERT_EQ(part.range.begin, next);
      for (; next < part.range.end; ++next) {
        EXPECT_EQ(part.inputs.Of(next), std::string(400'000, static_cast<char>('a' + (next - 20))));
      }
    }
  }
  EXPECT_EQ(next, 30);
}

TEST(RoundTrip, TheLargestIndexSurvives) {
  const model::TaskIndex last = std::numeric_limits<model::TaskIndex>::max();
  ExpectRoundTrip(engine::ToWorker{engine::Cancel{{{last - 1, last}, {0, last}}, {}}});
}

TEST(RoundTrip, ReasonsNeedNotBeUtf8) {
  ExpectRoundTrip(engine::ToCoordinator{engine::Report{{}, {{1, "\xff\xfe broken", {}}}}});
}

TEST(RoundTrip, ReasonsAndDurationsAreCutToTheirBounds) {
  engine::Report report;
  report.failed.push_back({1, std::string(kMaxTextBytes + 1, 'x'), Duration::max()});
  report.failed.push_back({2, "", Duration{-1}});
  const auto read = OverTheWire<v1::WorkerMessage>(engine::ToCoordinator{report});
  ASSERT_TRUE(read) << read.error().message;
  const auto& failed = std::get<engine::Report>(read->front()).failed;
  EXPECT_EQ(failed[0].reason.size(), static_cast<std::size_t>(kMaxTextBytes));
  EXPECT_EQ(failed[0].busy, kMaxDuration);
  EXPECT_EQ(failed[1].busy, Duration::zero());
}

TEST(RoundTrip, ALargeReportIsCutBetweenItsRanges) {
  engine::Report report;
  for (model::TaskIndex i = 0; i < 6; ++i) {
    report.completed.push_back(
        {{i, i + 1},
         {},
         {},
         {},
         false,
         model::PackedResults::OfEqualSize(1, 400000, std::string(400000, 'r'))});
  }
  const auto items = ToProto(engine::ToCoordinator{report});
  ASSERT_EQ(items.size(), 3u);
  for (const auto& item : items) EXPECT_EQ(item.report().completed_size(), 2);
  const auto read = OverTheWire<v1::WorkerMessage>(engine::ToCoordinator{report});
  ASSERT_TRUE(read);
  engine::Report joined;
  for (const auto& part : *read) {
    for (const auto& range : std::get<engine::Report>(part).completed)
      joined.completed.push_back(range);
  }
  EXPECT_EQ(joined, report);
}

TEST(RoundTrip, SixteenBytesATaskCostNoMoreThanThat) {
  engine::Report report;
  report.completed.push_back(
      {{0, 4096},
       milliseconds(9),
       milliseconds(3),
       milliseconds(5),
       false,
       model::PackedResults::OfEqualSize(4096, 16, std::string(65536, 'r'))});
  EXPECT_LT(ToProto(engine::ToCoordinator{report}).front().ByteSizeLong(), 65536u + 48u);
  const std::size_t empty = ToProto(engine::ToCoordinator{engine::Report{}})[0].ByteSizeLong();
  report = engine::Report{};
  report.echo = {engine::ClockStamp{std::uint64_t{1} << 60}, std::chrono::hours(24)};  // 36 years
  EXPECT_LT(ToProto(engine::ToCoordinator{report})[0].ByteSizeLong(), empty + 24u);
}

TEST(RoundTripDeathTest, AnEmptyRangeIsNeverSent) {
  EXPECT_DEATH((void)ToProto(engine::ToWorker{engine::Cancel{{{3, 3}}, {}}}), "empty or negative");
}

}  // namespace
}  // namespace evenkeel::protocol
