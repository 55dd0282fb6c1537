#include "coordinator/manifest_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "tests/unit/coordinator/job_fakes.h"

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
  /// The text of the file is used as the job's name.
  [[nodiscard]] ManifestWatch Watch() const {
    return {File(), [file = File()]() -> Result<SharedJobVersion> {
              std::string name;
              std::ifstream(file) >> name;
              if (name == "broken") return InvalidInput("is broken");
              return std::make_shared<const JobVersion>(FakeSpec(name),
                                                        std::make_shared<FakeWorkload>(1));
            }};
  }
  static std::string Polled(ManifestWatch& watch) {
    const auto version = watch.Poll();
    return version ? version->spec().name : "";
  }

  std::filesystem::path folder_;
};

TEST_F(ManifestWatchTest, ReportsEachChangeOnceItIsStable) {
  ManifestWatch watch = Watch();
  EXPECT_EQ(Polled(watch), "");
  Replace("two");
  EXPECT_EQ(Polled(watch), "") << "it has only just changed";
  EXPECT_EQ(Polled(watch), "two");
  EXPECT_EQ(Polled(watch), "");
  Write("three-in-place");
  EXPECT_EQ(Polled(watch), "");
  EXPECT_EQ(Polled(watch), "three-in-place");
}

TEST_F(ManifestWatchTest, ReportsAgainOnRequest) {
  ManifestWatch watch = Watch();
  Replace("two");
  EXPECT_EQ(Polled(watch), "");
  EXPECT_EQ(Polled(watch), "two");
  watch.RetryLater();
  EXPECT_EQ(Polled(watch), "two");
  EXPECT_EQ(Polled(watch), "");
}

TEST_F(ManifestWatchTest, SeesWhatChangesBeforeItIsReadForTheFirstTime) {
  ManifestWatch watch = Watch();
  Replace("two");
  EXPECT_EQ(Polled(watch), "");
  EXPECT_EQ(Polled(watch), "two");
}

TEST_F(ManifestWatchTest, SkipsUnreadableFiles) {
  ManifestWatch watch = Watch();
  Replace("broken");
  EXPECT_EQ(Polled(watch), "");
  EXPECT_EQ(Polled(watch), "");
  std::filesystem::remove(File());
  EXPECT_EQ(Polled(watch), "");
  Replace("three");
  EXPECT_EQ(Polled(watch), "");
  EXPECT_EQ(Polled(watch), "three");
}

TEST_F(ManifestWatchTest, APipeDoesNotChange) {
  ManifestWatch watch("/dev/null", []() -> Result<SharedJobVersion> {
    return std::make_shared<const JobVersion>(FakeSpec(), std::make_shared<FakeWorkload>(1));
  });
  EXPECT_FALSE(watch.Poll());
  EXPECT_FALSE(watch.Poll());
}

}  // namespace
}  // namespace evenkeel::coordinator
