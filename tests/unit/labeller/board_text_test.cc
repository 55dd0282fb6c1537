#include "labeller/board_text.h"

#include <gtest/gtest.h>

#include "core/model/document.h"
#include "labeller/pauses.h"
#include "tests/unit/labeller/boards.h"

namespace evenkeel::labeller {
namespace {

BoardFacts Sample() {
  BoardFacts facts;
  facts.machine = "A \"quoted\" \\ board";
  facts.kernel = "aarch64";
  facts.labels = {{"hardware.evenkeel.dev/cpu", {"cortex-a72", "/proc/cpuinfo"}},
                  {"hardware.evenkeel.dev/cpu-mhz", {"1500", "x: y"}}};
  facts.notes = {"it is: noted"};
  return facts;
}

TEST(BoardText, YamlThatCanBeReadAgain) {
  const auto read = model::ParseDocument(YamlOf(Sample()), "yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at("machine"), "A \"quoted\" \\ board");
  EXPECT_EQ(read->at("labels").at("hardware.evenkeel.dev/cpu-mhz"), "1500") << "text, no number";
  EXPECT_EQ(read->at("sources").at("hardware.evenkeel.dev/cpu-mhz"), "x: y");
  EXPECT_EQ(read->at("notes").at(0), "it is: noted");
}

TEST(BoardText, YamlOfNothing) {
  const auto read = model::ParseDocument(YamlOf({}), "yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->at("labels").empty());
  EXPECT_TRUE(read->at("notes").empty());
}

TEST(BoardText, FeatureFile) {
  // After 2038, where 32 bits of seconds end.
  EXPECT_EQ(FeatureFileOf(Sample(), platform::FromUnixSeconds(2'200'000'000.0)),
            "# Written by evenkeel-labeller.\n"
            "# +expiry-time=2039-09-18T23:06:40Z\n"
            "hardware.evenkeel.dev/cpu=cortex-a72\n"
            "hardware.evenkeel.dev/cpu-mhz=1500\n");
  EXPECT_EQ(FeatureFileOf(Sample(), std::nullopt).find("expiry"), std::string::npos);
}

TEST(Pauses, LongAfterSuccessSoonerIfSomethingWasPutOff) {
  Pauses pauses(std::chrono::hours(1), 1);
  for (int i = 0; i < 100; ++i) {
    const double long_pause = ToSeconds(pauses.AfterSuccess(false));
    EXPECT_TRUE(long_pause >= 3240 && long_pause <= 3960) << long_pause;
    const double short_pause = ToSeconds(pauses.AfterSuccess(true));
    EXPECT_TRUE(short_pause >= 270 && short_pause <= 330) << short_pause;
  }
}

TEST(Pauses, DoubleAfterFailuresUpToFiveMinutes) {
  Pauses pauses(std::chrono::hours(1), 1);
  double want = 5;
  for (int i = 0; i < 50; ++i) {
    const double pause = ToSeconds(pauses.AfterFailure());
    EXPECT_TRUE(pause >= want * 0.9 && pause <= want * 1.1) << i << ": " << pause;
    want = std::min(want * 2, 300.0);
  }
  EXPECT_EQ(pauses.Failures(), 50);
  static_cast<void>(pauses.AfterSuccess(false));
  EXPECT_EQ(pauses.Failures(), 0);
  EXPECT_LT(ToSeconds(pauses.AfterFailure()), 6);
}

}  // namespace
}  // namespace evenkeel::labeller
