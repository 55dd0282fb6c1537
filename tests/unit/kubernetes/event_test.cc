#include <gtest/gtest.h>

#include "kubernetes/events.h"

namespace evenkeel::kube {
namespace {

EventState State() {
  EventState state;
  state.key = {"space", "primes.1"};
  state.event = {{"batch.evenkeel.dev/v1alpha1", "WeightedJob", {"space", "primes"}, "u1"},
                 EventType::kWarning,
                 "NoEligibleNode",
                 "Planning",
                 "no node fits"};
  state.first = WallTime(std::chrono::microseconds(1'000'000'000'000'123));
  state.last = state.first + std::chrono::seconds(1);
  return state;
}

TEST(MicroTime, IsWrittenAsTheApiReadsIt) {
  EXPECT_EQ(MicroTime(WallTime(std::chrono::microseconds(1))), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(MicroTime(State().first), "2001-09-09T01:46:40.000123Z");
  const auto after_2038 = std::chrono::seconds(4'102'444'799);
  EXPECT_EQ(MicroTime(WallTime(after_2038)), "2099-12-31T23:59:59.000000Z");
}

TEST(Event, HasTheFieldsThatTheApiAsksFor) {
  const Json object = EventObject(State(), {"evenkeel.dev/operator", "operator-0"});
  const Json expected = Json::parse(R"({
    "apiVersion": "events.k8s.io/v1", "kind": "Event",
    "metadata": {"namespace": "space", "name": "primes.1"},
    "eventTime": "2001-09-09T01:46:40.000123Z",
    "reportingController": "evenkeel.dev/operator", "reportingInstance": "operator-0",
    "type": "Warning", "reason": "NoEligibleNode", "action": "Planning", "note": "no node fits",
    "regarding": {"apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
                  "namespace": "space", "name": "primes", "uid": "u1"}})");
  EXPECT_EQ(object, expected);
}

TEST(Event, ASeriesHasACountAndATime) {
  EventState state = State();
  state.count = 3;
  const Json series = EventObject(state, {"evenkeel.dev/operator", "operator-0"})["series"];
  EXPECT_EQ(series, Json({{"count", 3}, {"lastObservedTime", "2001-09-09T01:46:41.000123Z"}}));
  EXPECT_EQ(SeriesPatch(state), Json({{"series", series}}));
}

TEST(Event, LongTextsAreCut) {
  EventState state = State();
  state.event.note = std::string(5000, 'n');
  state.event.reason = std::string(500, 'r');
  const Json object = EventObject(state, {"evenkeel.dev/operator", std::string(500, 'i')});
  EXPECT_EQ(object["note"].get<std::string>().size(), 1024u);
  EXPECT_EQ(object["reason"].get<std::string>().size(), 128u);
  EXPECT_EQ(object["reportingInstance"].get<std::string>().size(), 128u);
}

TEST(CutText, CutsBetweenCharactersAndReplacesInvalidBytes) {
  EXPECT_EQ(CutText("abc", 3), "abc");
  EXPECT_EQ(CutText("abcd", 3), "abc");
  EXPECT_EQ(CutText("a\xc3\xa4"
                    "b",
                    4),
            "a\xc3\xa4"
            "b");
  const std::string umlauts = CutText("\xc3\xa4\xc3\xa4", 3);
  EXPECT_EQ(umlauts.substr(0, 2), "\xc3\xa4");
  EXPECT_LE(umlauts.size(), 3u);
  EXPECT_NO_THROW((void)Json(CutText("\xff\xfe\x80 x", 100)).dump());
  EXPECT_LE(CutText(std::string(100, '\xff'), 100).size(), 100u);
}

}  // namespace
}  // namespace evenkeel::kube
