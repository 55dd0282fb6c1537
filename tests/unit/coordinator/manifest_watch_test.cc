#include "coordinator/manifest_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace evenkeel::coordinator {
namespace {

class ManifestWatchTest : public testing::Test {
 protected:
  ManifestWatchTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evenkeel-watch-XXXXXX");
    folder_ = ::mkdtemp(pattern.data());
    Write("one");
  }
  ~ManifestWatchTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& text) { std::ofstream(File()) << text; }
  void Replace(const std::string& text) {
    std::ofstream(folder_ / "next") << text;
    std::filesystem::rename(folder_ / "next", File());
  }
  [[nodiscard]] std::filesystem::path File() const { return folder_ / "job.yaml"; }
  /// The text of the file stands in for a job: it is its name.
  [[nodiscard]] ManifestWatch Watch() const {
    return {File(), [file = File()]() -> Result<JobVersion> {
              JobVersion version;
              std::ifstream(file) >> version.job.name;
              if (version.job.name == "broken") return InvalidInput("is broken");
              return version;
            }};
  }
  static std::string News(ManifestWatch& watch) {
    const auto news = watch.News();
    return news ? news->job.name : "";
  }

  std::filesystem::path folder_;
};

TEST_F(ManifestWatchTest, TellsOfEachChangeOnceItHasBeenLeftAlone) {
  ManifestWatch watch = Watch();
  EXPECT_EQ(News(watch), "");
  Replace("two");
  EXPECT_EQ(News(watch), "") << "it has only just changed";
  EXPECT_EQ(News(watch), "two");
  EXPECT_EQ(News(watch), "");
  Write("three-in-place");
  EXPECT_EQ(News(watch), "");
  EXPECT_EQ(News(watch), "three-in-place");
}

TEST_F(ManifestWatchTest, TellsAgainWhenItIsAskedTo) {
  ManifestWatch watch = Watch();
  Replace("two");
  EXPECT_EQ(News(watch), "");
  EXPECT_EQ(News(watch), "two");
  watch.TellAgain();
  EXPECT_EQ(News(watch), "two");
  EXPECT_EQ(News(watch), "");
}

TEST_F(ManifestWatchTest, SeesWhatChangesBeforeItIsReadForTheFirstTime) {
  ManifestWatch watch = Watch();
  Replace("two");
  EXPECT_EQ(News(watch), "");
  EXPECT_EQ(News(watch), "two");
}

TEST_F(ManifestWatchTest, WhatCannotBeReadIsPassedOver) {
  ManifestWatch watch = Watch();
  Replace("broken");
  EXPECT_EQ(News(watch), "");
  EXPECT_EQ(News(watch), "");
  std::filesystem::remove(File());
  EXPECT_EQ(News(watch), "");
  Replace("three");
  EXPECT_EQ(News(watch), "");
  EXPECT_EQ(News(watch), "three");
}

TEST_F(ManifestWatchTest, APipeDoesNotChange) {
  ManifestWatch watch("/dev/null", []() -> Result<JobVersion> { return JobVersion{}; });
  EXPECT_FALSE(watch.News());
  EXPECT_FALSE(watch.News());
}

}  // namespace
}  // namespace evenkeel::coordinator
