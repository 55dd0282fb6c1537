#include "platform/time.h"

#include <gtest/gtest.h>

namespace evenkeel::platform {
namespace {

using std::chrono::seconds;

TEST(PlatformTime, ReadsRfc3339InUtc) {
  EXPECT_EQ(ParseTimestamp("1970-01-01T00:00:00Z"), Timestamp{});
  EXPECT_EQ(ParseTimestamp("2026-03-01T09:30:05Z"), Timestamp{seconds(1772357405)});
  EXPECT_EQ(ParseTimestamp("2024-02-29T23:59:59Z"), Timestamp{seconds(1709251199)});
  EXPECT_EQ(ParseTimestamp("2026-03-01T09:30:05.250000Z"),
            Timestamp{seconds(1772357405) + std::chrono::milliseconds(250)});
  EXPECT_EQ(ParseTimestamp("2026-03-01T09:30:05.1234567899Z"),
            Timestamp{seconds(1772357405) + Duration{123'456'789}});
}

TEST(PlatformTime, HasMoreThan32BitsOnEveryArchitecture) {
  // 2^31 seconds end in January 2038; 2^63 nanoseconds in April 2262.
  EXPECT_EQ(ParseTimestamp("2040-02-29T12:00:00Z"), Timestamp{seconds(2'214'129'600)});
  EXPECT_EQ(FormatTimestamp(Timestamp{seconds(2'214'129'600)}), "2040-02-29T12:00:00Z");
  EXPECT_EQ(ParseTimestamp("2261-12-31T23:59:59.999999999Z"),
            Timestamp{seconds(9'214'646'399) + Duration{999'999'999}});
  EXPECT_EQ(FormatTimestamp(Timestamp{seconds(9'214'646'399)}), "2261-12-31T23:59:59Z");
}

TEST(PlatformTime, ReadsWhatItWrites) {
  for (const char* text : {"1970-01-01T00:00:00Z", "2026-03-01T09:30:05Z", "2040-01-01T00:00:00Z",
                           "2261-12-31T23:59:59Z"}) {
    const auto time = ParseTimestamp(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(FormatTimestamp(*time), text);
  }
}

TEST(PlatformTime, CutsDigitsInsteadOfRounding) {
  const Timestamp time{seconds(1'772'357'405) + Duration{999'999'999}};
  EXPECT_EQ(FormatTimestamp(time), "2026-03-01T09:30:05Z");
  EXPECT_EQ(FormatTimestamp(time, Fraction::kMilliseconds), "2026-03-01T09:30:05.999Z");
  EXPECT_EQ(FormatTimestamp(time, Fraction::kMicroseconds), "2026-03-01T09:30:05.999999Z");
  EXPECT_EQ(FormatTimestamp(time, Fraction::kNanoseconds), "2026-03-01T09:30:05.999999999Z");
  EXPECT_EQ(FormatTimestamp(Timestamp{seconds(5)}, Fraction::kMicroseconds),
            "1970-01-01T00:00:05.000000Z");
}

TEST(PlatformTime, RefusesOtherTexts) {
  for (const char* text : {"",
                           "Z",
                           "2026-03-01",
                           "2026-03-01T09:30:05",
                           "2026-02-30T00:00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-03-01T24:00:00Z",
                           "2026-03-01T09:60:00Z",
                           "2026-03-01T09:30:61Z",
                           "2026-03-01T09:30:05+01:00",
                           "2026-03-01T09:30:05.Z",
                           "2026-03-01T09:30:05,5Z",
                           "1969-12-31T23:59:59Z",
                           "2262-01-01T00:00:00Z",
                           "2026-03-0xT09:30:05Z",
                           "2026-03-01 09:30:05Z",
                           "-026-03-01T09:30:05Z",
                           " 2026-03-01T09:30:05Z",
                           "2026-03-01T09:30:05Z ",
                           "infinite-future",
                           "20260-3-01T09:30:05Z",
                           "2026-03-01T09:30:05.12 3Z"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(PlatformTime, SecondsAsANumber) {
  EXPECT_DOUBLE_EQ(ToUnixSeconds(Timestamp{seconds(2'214'129'600)}), 2'214'129'600.0);
  EXPECT_EQ(FromUnixSeconds(2'214'129'600.0), Timestamp{seconds(2'214'129'600)});
  EXPECT_EQ(FormatTimestamp(FromUnixSeconds(1e300)).substr(0, 4), "2255") << "saturates";
}

}  // namespace
}  // namespace evenkeel::platform
