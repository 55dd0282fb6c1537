#include "coordinator/job_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "coordinator/journal.h"
#include "coordinator/output_keeper.h"
#include "core/protocol/sha256.h"
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

  [[nodiscard]] std::shared_ptr<const workloads::Workload> WorkloadOf(
      const std::string& files) const {
    auto made = workloads::BuiltInWorkloads().Make(
        "command",
        R"({"command": ["x"], "arguments": ["0", "1", "2", "3", "4", "5"], )" + files + "}",
        {Inputs(), false});
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }
  std::unique_ptr<JobFiles> Open(const std::string& files,
                                 JobFiles::DataHeldHandler on_data_held = nullptr) const {
    auto opened = JobFiles::Open(WorkloadOf(files), Inputs(), folder_.Path() / "out",
                                 std::move(on_data_held));
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
};

using Ranges = std::vector<model::IndexRange>;

/// The reports of JobFiles, in order; the first one can be held back.
class Reports {
 public:
  explicit Reports(bool hold = false) : hold_(hold) {}
  JobFiles::DataHeldHandler Handler() {
    return [this](const std::string& node, const model::RangeSet& tasks) {
      std::unique_lock lock(mutex_);
      reports_.emplace_back(node, tasks.Ranges());
      changed_.notify_all();
      changed_.wait_for(lock, kPatience, [this] { return !hold_; });
    };
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    hold_ = false;
    changed_.notify_all();
  }
  /// The reports when there are so many.
  std::vector<std::pair<std::string, Ranges>> Await(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return reports_.size() >= count; }));
    return reports_;
  }

 private:
  static constexpr auto kPatience = std::chrono::seconds(30);
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool hold_;
  std::vector<std::pair<std::string, Ranges>> reports_;
};

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
  Reports reports;
  const auto files = Open(R"("inputs": ["{}", "common"])", reports.Handler());
  EXPECT_TRUE(files->HasInputs());
  files->Home().Announce("pi-a", {1, 2, 3});
  files->Home().Announce("pi-b", keys);
  const auto reported = reports.Await(1);
  EXPECT_EQ(reported.front().first, "pi-b") << "the other has none of them";
  EXPECT_EQ(reported.front().second, (Ranges{{1, 2}, {4, 5}})) << "2 has changed, and 5 is missing";
}

TEST_F(JobFilesTest, AnnouncementsDoNotWaitForAnEarlierOne) {
  Reports reports(/*hold=*/true);
  const auto files = Open(R"("inputs": ["{}"])", reports.Handler());
  const auto list = files->Home().List(1, "1");
  ASSERT_TRUE(list);
  const auto announced = std::async(std::launch::async, [&] {
    for (const char* node : {"pi-b", "pi-a", "pi-c"}) {
      files->Home().Announce(node, KeysOf(*list));
    }
  });
  EXPECT_EQ(announced.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(reports.Await(1).size(), 1U);
  reports.Release();
  const Ranges one{{1, 2}};
  EXPECT_EQ(reports.Await(3), (std::vector<std::pair<std::string, Ranges>>{
                                  {"pi-b", one}, {"pi-a", one}, {"pi-c", one}}));
}

TEST_F(JobFilesTest, ANodeThatAnnouncesItsCacheAgainAndAgainIsIgnored) {
  const auto files = Open(R"("inputs": ["{}"])");
  const auto list = files->Home().List(1, "1");
  ASSERT_TRUE(list);
  const auto keys = KeysOf(*list);
  HeldTasks held(WorkloadOf(R"("inputs": ["{}"])"), Inputs());
  for (int n = 0; n < HeldTasks::kMaxAnnouncements; ++n) {
    EXPECT_FALSE(held.Find("pi-a", keys).Empty());
  }
  EXPECT_TRUE(held.Find("pi-a", keys).Empty());
  EXPECT_FALSE(held.Find("pi-b", keys).Empty()) << "others are not affected";
}

TEST_F(JobFilesTest, FilesAreReadAgainAfterAStop) {
  const auto files = Open(R"("inputs": ["{}"])");
  const auto list = files->Home().List(1, "1");
  ASSERT_TRUE(list);
  HeldTasks held(WorkloadOf(R"("inputs": ["{}"])"), Inputs());
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_TRUE(held.Find("pi-a", KeysOf(*list), stopped.get_token()).Empty());
  EXPECT_EQ(held.Find("pi-a", KeysOf(*list)).Ranges(), (Ranges{{1, 2}}));
}

TEST_F(JobFilesTest, FilesThatAllTasksNeedSayNothingOfWhereOneRunsBest) {
  const auto files = Open(R"("inputs": ["common"])");
  EXPECT_TRUE(files->HasInputs());
  const auto list = files->Home().List(0, "0");
  ASSERT_TRUE(list);
  HeldTasks held(WorkloadOf(R"("inputs": ["common"])"), Inputs());
  EXPECT_TRUE(held.Find("pi-a", KeysOf(*list)).Empty());
}

TEST_F(JobFilesTest, OutputFilesAloneAreNoInputs) {
  EXPECT_FALSE(Open(R"("outputs": ["result"])")->HasInputs());
  EXPECT_TRUE(Open(R"("inputs": ["{}"])")->HasInputs());
}

/// Uploads the file "o" of a task; returns what is stored then.
std::string Upload(JobFiles& files, std::uint64_t task, const std::string& bytes,
                   const std::filesystem::path& stored) {
  protocol::UploadCall upload{task, {}};
  upload.id.fill(bytes.front());
  EXPECT_TRUE(files.Home().Store({upload, true, "o", 0, bytes}));
  const auto size = static_cast<std::int64_t>(bytes.size());
  EXPECT_TRUE(files.Home().Commit(upload, {{"o", size, {protocol::Sha256Of(bytes)}}}));
  std::ifstream file(stored / std::to_string(task) / "o", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(JobFilesTest, OutputsOfTasksWithAResultStay) {
  const auto stored = folder_.Path() / "out" / "files";
  std::filesystem::create_directories(folder_.Path() / "out");
  JobIdentity identity;
  identity.job = "job";
  identity.workload = "command";
  identity.task_count = 6;
  {
    const auto files = Open(R"("outputs": ["o"])");
    const auto journal = Journal::Open(folder_.Path() / "out", identity);
    ASSERT_TRUE(journal) << journal.error().message;
    const auto keeper = OutputKeeper::Make(**journal, *files);
    ASSERT_TRUE(keeper);
    EXPECT_EQ(Upload(*files, 0, "1", stored), "1");
    EXPECT_EQ(Upload(*files, 0, "2", stored), "2") << "nothing counts yet";
    JournalRecords records;
    records.results.push_back({{0, 1}, "pi", {}, {}, {}, {}, {}});
    records.results.back().results = model::PackedResults::OfEqualSize(1, 1, "r");
    ASSERT_TRUE((*keeper)->Append(records));
    EXPECT_EQ(Upload(*files, 0, "3", stored), "2") << "of a worker that is late, or hostile";
    EXPECT_EQ(Upload(*files, 1, "4", stored), "4");
  }
  const auto files = Open(R"("outputs": ["o"])");
  const auto journal = Journal::Open(folder_.Path() / "out", identity);
  ASSERT_TRUE(journal) << journal.error().message;
  ASSERT_TRUE(OutputKeeper::Make(**journal, *files));
  EXPECT_EQ(Upload(*files, 0, "5", stored), "2") << "after a restart";
  EXPECT_EQ(Upload(*files, 1, "6", stored), "6");
}

}  // namespace
}  // namespace evenkeel::coordinator
