#include <gtest/gtest.h>

#include <fstream>

#include "kubernetes/credentials.h"
#include "tests/unit/kubernetes/virtual_time.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;

class TokenFile : public ::testing::Test {
 protected:
  void Write(const std::string& text) { std::ofstream(file_, std::ios::trunc) << text; }

  report::TemporaryFolder folder_;
  const std::string file_ = (folder_.Path() / "token").string();
  VirtualTime time_;
};

TEST_F(TokenFile, IsReadAgainAfterAMinute) {
  Write("first\n");
  TokenSource source(file_, time_);
  EXPECT_EQ(source.Token().value(), "first");
  Write("second");
  time_.Pass(seconds(59));
  EXPECT_EQ(source.Token().value(), "first");
  time_.Pass(seconds(1));
  EXPECT_EQ(source.Token().value(), "second");
}

TEST_F(TokenFile, IsReadAgainAtOnceWhenTheTokenWasRefused) {
  Write("first");
  TokenSource source(file_, time_);
  EXPECT_TRUE(source.CanChange());
  EXPECT_EQ(source.Token().value(), "first");
  Write("second");
  source.Refused();
  EXPECT_EQ(source.Token().value(), "second");
}

TEST_F(TokenFile, AFileThatVanishesLeavesTheTokenInUse) {
  Write("first");
  TokenSource source(file_, time_);
  ASSERT_TRUE(source.Token());
  std::filesystem::remove(file_);
  time_.Pass(seconds(60));
  EXPECT_EQ(source.Token().value(), "first");
  Write("second");
  time_.Pass(seconds(10));
  EXPECT_EQ(source.Token().value(), "second");
}

TEST_F(TokenFile, WithoutATokenEverThereIsAnError) {
  TokenSource missing(file_, time_);
  const auto error = missing.Token();
  ASSERT_FALSE(error);
  EXPECT_NE(error.error().message.find(file_), std::string::npos);
  Write("late");
  EXPECT_EQ(missing.Token().value(), "late");
}

TEST_F(TokenFile, ATokenCannotInjectHeaders) {
  for (const std::string bad : {"a\r\nX-Evil: 1", "two words", "", "\n", "caf\xc3\xa9x"}) {
    Write(bad);
    EXPECT_FALSE(TokenSource(file_, time_).Token()) << bad;
  }
  Write(std::string(1u << 20, 'x'));
  EXPECT_FALSE(TokenSource(file_, time_).Token());
}

TEST(TokenSource, AFixedTokenStays) {
  TokenSource source("fixed");
  EXPECT_FALSE(source.CanChange());
  source.Refused();
  EXPECT_EQ(source.Token().value(), "fixed");
}

}  // namespace
}  // namespace evenkeel::kube
