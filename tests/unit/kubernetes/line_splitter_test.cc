#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kubernetes/line_stream.h"

namespace evenkeel::kube {
namespace {

class Lines final : public LineSink {
 public:
  bool OnLine(std::string_view line) override {
    all.emplace_back(line);
    return all.size() < wanted;
  }
  std::vector<std::string> all;
  std::size_t wanted = 1000;
};

using Outcome = LineSplitter::Outcome;
using Texts = std::vector<std::string>;

TEST(LineSplitter, FindsTheSameLinesHoweverTheBytesAreSplit) {
  const std::string text = "one\n\ntwo\r\nthree and more\n\r\nx\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    LineSplitter splitter(100);
    Lines lines;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      ASSERT_EQ(splitter.Feed(text.substr(at, piece), lines), Outcome::kMore);
    }
    EXPECT_EQ(lines.all, (Texts{"one", "two", "three and more", "x"})) << piece;
    EXPECT_FALSE(splitter.InMidLine());
  }
}

TEST(LineSplitter, KnowsThatALineHasBegun) {
  LineSplitter splitter(100);
  Lines lines;
  ASSERT_EQ(splitter.Feed("one\ntw", lines), Outcome::kMore);
  EXPECT_TRUE(splitter.InMidLine());
  ASSERT_EQ(splitter.Feed("o\n", lines), Outcome::kMore);
  EXPECT_FALSE(splitter.InMidLine());
  EXPECT_EQ(lines.all, (Texts{"one", "two"}));
}

TEST(LineSplitter, RefusesALineThatIsTooLongWholeOrInPieces) {
  Lines lines;
  EXPECT_EQ(LineSplitter(4).Feed("1234\n", lines), Outcome::kMore);
  EXPECT_EQ(LineSplitter(4).Feed("12345\n", lines), Outcome::kTooLong);
  EXPECT_EQ(LineSplitter(4).Feed("12345", lines), Outcome::kTooLong);
  LineSplitter splitter(4);
  EXPECT_EQ(splitter.Feed("123", lines), Outcome::kMore);
  EXPECT_EQ(splitter.Feed("45", lines), Outcome::kTooLong);
}

TEST(LineSplitter, StopsWhenTheSinkWantsNoMore) {
  LineSplitter splitter(100);
  Lines lines;
  lines.wanted = 2;
  EXPECT_EQ(splitter.Feed("a\nb\nc\n", lines), Outcome::kStopped);
  EXPECT_EQ(lines.all, (Texts{"a", "b"}));
}

}  // namespace
}  // namespace evenkeel::kube
