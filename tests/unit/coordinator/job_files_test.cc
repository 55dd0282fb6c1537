#include "coordinator/job_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "files/file_content.h"
#include "tests/unit/report/temporary_folder.h"
#include "workloads/built_in.h"
#include "workloads/task_files.h"

namespace evenkeel::coordinator {
namespace {

/// A job with the arguments "0" to "5", where files 0 to 4 exist.
class JobFilesTest : public testing::Test {
 protected:
  JobFilesTest() {
    std::filesystem::create_directories(Inputs());
    for (int n = 0; n < 5; ++n)
      Write(std::to_string(n), std::string(static_cast<std::size_t>(n + 1), 'x'));
    Write("common", "common");
  }

  [[nodiscard]] std::filesystem::path Inputs() const { return folder_.Path() / "in"; }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Inputs() / name, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::unique_ptr<JobFiles> Open(const std::string& files) {
    auto made = workloads::BuiltInWorkloads().Make(
        "command",
        R"({"command": ["x"], "arguments": ["0", "1", "2", "3", "4", "5"], )" + files + "}",
        {Inputs(), false});
    EXPECT_TRUE(made) << made.error().message;
    auto opened = JobFiles::Open(*made, Inputs(), folder_.Path() / "out",
                                 [this](const std::string& node, const model::RangeSet& tasks) {
                                   held_[node] = tasks.Ranges();
                                 });
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }

  /// The keys of these files as a worker would have them that had fetched them.
  static std::vector<std::uint64_t> KeysOf(const std::vector<protocol::ListedFile>& files) {
    std::vector<std::uint64_t> keys;
    for (const auto& file : files) {
      keys.push_back(files::VersionKey(file.size_bytes, file.modified_nanoseconds));
    }
    return keys;
  }

  report::TemporaryFolder folder_;
  std::map<std::string, std::vector<model::IndexRange>> held_;
};

using Ranges = std::vector<model::IndexRange>;

TEST_F(JobFilesTest, TellsWhichTasksHaveTheirFilesInTheCacheOfANode) {
  std::vector<std::uint64_t> keys;
  {
    const auto earlier = Open(R"("inputs": ["{}", "common"])");
    for (const std::uint64_t task : {1U, 2U, 4U}) {
      const auto list = earlier->Home().List(task, std::to_string(task));
      ASSERT_TRUE(list) << list.error().message;
      const auto more = KeysOf(*list);
      keys.insert(keys.end(), more.begin(), more.end());
    }
  }
  Write("2", "longer than before");
  const auto files = Open(R"("inputs": ["{}", "common"])");
  EXPECT_TRUE(files->HasInputs());
  files->Home().Announce("pi-a", keys);
  EXPECT_EQ(held_.at("pi-a"), (Ranges{{1, 2}, {4, 5}})) << "2 has changed, and 5 is missing";
  files->Home().Announce("pi-b", {1, 2, 3});
  EXPECT_FALSE(held_.contains("pi-b"));
}

TEST_F(JobFilesTest, ANodeThatAnnouncesItsCacheAgainAndAgainIsIgnored) {
  const auto files = Open(R"("inputs": ["{}"])");
  const auto list = files->Home().List(1, "1");
  ASSERT_TRUE(list);
  const auto keys = KeysOf(*list);
  for (int n = 0; n < HeldTasks::kMaxAnnouncements; ++n) {
    held_.clear();
    files->Home().Announce("pi-a", keys);
    EXPECT_TRUE(held_.contains("pi-a"));
  }
  held_.clear();
  files->Home().Announce("pi-a", keys);
  EXPECT_FALSE(held_.contains("pi-a"));
  files->Home().Announce("pi-b", keys);
  EXPECT_TRUE(held_.contains("pi-b")) << "others are not affected";
}

TEST_F(JobFilesTest, FilesThatAllTasksNeedSayNothingOfWhereOneRunsBest) {
  const auto files = Open(R"("inputs": ["common"])");
  EXPECT_TRUE(files->HasInputs());
  const auto list = files->Home().List(0, "0");
  ASSERT_TRUE(list);
  files->Home().Announce("pi-a", KeysOf(*list));
  EXPECT_TRUE(held_.empty());
}

TEST_F(JobFilesTest, OutputFilesAloneAreNoInputs) {
  EXPECT_FALSE(Open(R"("outputs": ["result"])")->HasInputs());
  EXPECT_TRUE(Open(R"("inputs": ["{}"])")->HasInputs());
}

}  // namespace
}  // namespace evenkeel::coordinator
