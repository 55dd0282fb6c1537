#include <gtest/gtest.h>

#include <cmath>

#include "operator/history/prometheus.h"
#include "tests/unit/operator/history/scripted_prometheus.h"

namespace evenkeel::controller {
namespace {

constexpr std::int64_t kWeek = 7 * 86400;

const std::string kGood = RatesJson("pi4", "120.5", "40");

TEST(RateAnswer, IsReadBySeries) {
  const auto samples = ReadRateAnswer(kGood, kWeek);
  ASSERT_TRUE(samples) << samples.error().message;
  ASSERT_EQ(samples->size(), 1U);
  EXPECT_EQ(samples->at("pi4"), (scheduling::RateSample{120.5, 40, 0}));
}

TEST(RateAnswer, KnowsItsOwnLabelUnderTheNameThatPrometheusGaveIt) {
  std::string renamed = kGood;
  for (auto at = renamed.find("\"node\""); at != std::string::npos;
       at = renamed.find("\"node\"", at)) {
    renamed.replace(at, 6, R"("node":"the-operator's","exported_node")");
    at += 40;
  }
  const auto samples = ReadRateAnswer(renamed, kWeek);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(samples->size(), 1U);
  EXPECT_EQ(samples->at("pi4").units, 120.5);
}

TEST(RateAnswer, MayBeEmpty) {
  const auto samples =
      ReadRateAnswer(R"({"status":"success","data":{"resultType":"vector","result":[]}})", kWeek);
  ASSERT_TRUE(samples);
  EXPECT_TRUE(samples->empty());
  // A total that was shown and never rose.
  EXPECT_TRUE(ReadRateAnswer(RatesJson("pi4", "0", "0"), kWeek)->empty());
}

TEST(RateAnswer, DoesNotJudgeStrangeNumbers) {
  EXPECT_TRUE(std::isnan(ReadRateAnswer(RatesJson("a", "NaN", "1"), kWeek)->at("a").units));
  EXPECT_TRUE(std::isinf(ReadRateAnswer(RatesJson("a", "+Inf", "1"), kWeek)->at("a").units));
  EXPECT_EQ(ReadRateAnswer(RatesJson("a", "-5", "1"), kWeek)->at("a").units, -5);
  EXPECT_TRUE(std::isnan(ReadRateAnswer(RatesJson("a", "many", "1"), kWeek)->at("a").units));
  EXPECT_TRUE(
      std::isnan(ReadRateAnswer(RatesJson("a", std::string(100, '1'), "1"), kWeek)->at("a").units));
}

TEST(RateAnswer, GarbageIsAnErrorOfOneLine) {
  const std::string head = R"({"status":"success","data":)";
  const std::string garbage[] = {"",
                                 "<html>\n<body>login</body></html>",
                                 "null",
                                 "[]",
                                 "7",
                                 "{}",
                                 "{\"status\":7}",
                                 R"({"status":"success"})",
                                 head + "[]}",
                                 head + R"({"resultType":"matrix","result":[]}})",
                                 head + R"({"resultType":"vector","result":{}}})",
                                 head + R"({"resultType":"vector"}})",
                                 std::string(1000, '['),
                                 std::string("\xff\xfe\x00", 3)};
  for (const std::string& text : garbage) {
    const auto samples = ReadRateAnswer(text, kWeek);
    ASSERT_FALSE(samples) << text;
    EXPECT_EQ(samples.error().message.find('\n'), std::string::npos) << samples.error().message;
    EXPECT_LT(samples.error().message.size(), 300U);
  }
}

TEST(RateAnswer, SeriesOfAnotherShapeAreSkipped) {
  const std::string series[] = {"7",
                                "{}",
                                "[]",
                                "null",
                                R"({"metric":7,"value":7})",
                                R"({"metric":{"node":5}})",
                                R"({"metric":{"node":"x","figure":"other"},"value":[1,"2"]})",
                                R"({"metric":{"node":"","figure":"units"},"value":[1,"2"]})",
                                R"({"metric":{"figure":"units"},"value":[1,"2"]})"};
  for (const std::string& one : series) {
    const auto samples = ReadRateAnswer(
        R"({"status":"success","data":{"resultType":"vector","result":[)" + one + "]}}", kWeek);
    ASSERT_TRUE(samples) << one;
    EXPECT_TRUE(samples->empty() || samples->begin()->first == "x") << one;
  }
}

TEST(RateAnswer, AnErrorOfPrometheusIsQuoted) {
  const auto samples =
      ReadRateAnswer(R"({"status":"error","errorType":"bad_data","error":"parse\nerror"})", kWeek);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().message, "the answer of Prometheus is an error: parse error");
}

TEST(RateAnswer, TooManySeriesAreRefused) {
  std::string list;
  for (std::size_t i = 0; i <= kMaxAnswerSeries; ++i) list += i == 0 ? "1" : ",1";
  EXPECT_FALSE(ReadRateAnswer(
      R"({"status":"success","data":{"resultType":"vector","result":[)" + list + "]}}", kWeek));
}

TEST(RateAnswer, SurvivesTruncationAndFlippedBytesAnywhere) {
  for (std::size_t i = 0; i < kGood.size(); ++i) {
    EXPECT_FALSE(ReadRateAnswer(kGood.substr(0, i), kWeek)) << i;
    for (const char c : {'\0', '"', '{', ']', '9', '\xff'}) {
      std::string flipped = kGood;
      flipped[i] = c;
      (void)ReadRateAnswer(flipped, kWeek);
    }
  }
}

TEST(BuildInfo, IsThatOfAPrometheus) {
  EXPECT_TRUE(IsBuildInfo(R"({"status":"success","data":{"version":"2.42.0"}})"));
  for (const char* other : {"", "ok", "{}", R"({"status":"success"})", R"({"version":"1"})"}) {
    EXPECT_FALSE(IsBuildInfo(other)) << other;
  }
}

}  // namespace
}  // namespace evenkeel::controller
