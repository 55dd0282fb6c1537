#include "coordinator/service/pages_handler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coordinator/service/health_handler.h"
#include "platform/text.h"
#include "tests/unit/coordinator/service_fakes.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::coordinator {
namespace {

using nlohmann::json;

class PagesHandlerTest : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) {
    std::ofstream(folder_.Path() / name) << text;
  }
  /// Stores an output file of the task that has this folder.
  void Put(const std::string& task, const std::string& path, const std::string& text) {
    const auto file = folder_.Path() / "files" / task / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void End(model::JobState state) {
    JobStatus status = *board_.Read();
    status.state = state;
    board_.Publish(status);
    run_.over = true;
  }
  http::HttpResponse Ask(const std::string& target) { return pages_.Handle(Get(target)); }
  /// The bytes of a short file that the server would send; "none" without a file.
  static std::string Content(http::HttpResponse response) {
    if (!response.file) return "none";
    const int descriptor = response.file->Release();
    char bytes[64];
    const ssize_t size = ::read(descriptor, bytes, sizeof bytes);
    ::close(descriptor);
    return {bytes, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  report::TemporaryFolder folder_;
  StatusBoard board_;
  FakeRun run_;
  ManualClock clock_;
  metrics::JobMetrics metrics_{"primes", "", "primes"};
  LiveReport live_{run_, folder_.Path(), clock_};
  LiveFeed feed_{clock_};
  LiveHandler live_page_{feed_, run_, [this] { return LiveStateOf("primes", *board_.Read()); }};
  PagesHandler pages_{folder_.Path(), board_, metrics_, live_, live_page_};
};

TEST_F(PagesHandlerTest, ARunningJobShowsWhatThereIs) {
  EXPECT_EQ(json::parse(Ask("/summary.json").body)["job"], "primes");
  EXPECT_NE(Ask("/report.html").body.find("pi4a"), std::string::npos);
  EXPECT_EQ(Ask("/report.html").content_type, "text/html; charset=utf-8");
  const auto timeline = Ask("/timeline.jsonl");
  ASSERT_TRUE(timeline.file);
  std::ifstream lines(folder_.Path() / "timeline.jsonl");
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(json::parse(line)["range"], json::array({0, 3}));
  EXPECT_NE(Ask("/metrics.prom").body.find("evenkeel_tasks_completed_total"), std::string::npos);
  EXPECT_EQ(Ask("/results/").body, "[]\n");
}

TEST_F(PagesHandlerTest, TheReportIsMadeOnceASecondAtMost) {
  (void)Ask("/report.html");
  const int before = run_.looks;
  clock_.now += std::chrono::milliseconds(999);
  (void)Ask("/report.html");
  EXPECT_EQ(run_.looks, before);
  clock_.now += std::chrono::milliseconds(1);
  (void)Ask("/report.html");
  EXPECT_EQ(run_.looks, before + 1);
}

TEST_F(PagesHandlerTest, AJobThatIsOverShowsItsFolder) {
  Put("report.html", "<p>");
  Put("primes.npy", "123");
  Put("results.csv", "1,2");
  Put("journal.db", "secret");
  Put("journal.db-wal", "secret");
  Put(".hidden", "secret");
  Put("half.npy.partial", "x");
  End(model::JobState::kComplete);
  EXPECT_EQ(Content(Ask("/report.html")), "<p>");
  EXPECT_EQ(json::parse(Ask("/results/").body), json::array({"primes.npy", "results.csv"}));
  EXPECT_EQ(Content(Ask("/results/primes.npy")), "123");
  EXPECT_EQ(Ask("/results/results.csv").content_type, "text/csv; charset=utf-8");
}

TEST_F(PagesHandlerTest, NothingElseCanBeReached) {
  Put("journal.db", "secret");
  Put("primes.npy", "123");
  std::filesystem::create_symlink("/etc/passwd", folder_.Path() / "link.txt");
  std::filesystem::create_directory(folder_.Path() / "sub");
  End(model::JobState::kComplete);
  for (const char* target :
       {"/results/journal.db", "/results/../journal.db", "/results/%2e%2e/journal.db",
        "/results//etc/passwd", "/results/../../../../etc/passwd", "/results/..%2f..%2fetc/passwd",
        "/results/link.txt", "/results/sub", "/results/./primes.npy", "/results/primes.npy/",
        "/results/summary.json", "/journal.db", "/../x", "//", "//summary.json", "/results",
        "/live.jsonx", "//live.json"}) {
    EXPECT_EQ(Ask(target).status, 404) << target;
  }
  EXPECT_EQ(Ask("/results/%00").status, 400);
  EXPECT_EQ(pages_.Handle({"POST", "/report.html", ""}).status, 405);
  EXPECT_EQ(pages_.Handle({"DELETE", "/results/primes.npy", ""}).status, 405);
}

TEST_F(PagesHandlerTest, TasksWithOutputFilesAreListedInOrder) {
  EXPECT_EQ(Ask("/files/").body, "{\"tasks\":[]}\n");
  for (const char* task : {"10", "9", "0", "1", "2", "2000005", "1000000"}) Put(task, "a", "x");
  for (const char* other : {".staged", "07", "-1", "1x", "99999999999999999999"}) {
    Put(other, "a", "x");
  }
  Put("files/77", "no folder");
  std::filesystem::create_symlink(folder_.Path(), folder_.Path() / "files" / "5");
  const auto answer = Ask("/files/");
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(json::parse(answer.body),
            json::parse(R"({"tasks": [[0, 2], [9, 10]], "next": 1000000})"));
  EXPECT_EQ(json::parse(Ask("/files/?from=2").body),
            json::parse(R"({"tasks": [[2, 2], [9, 10], [1000000, 1000000]], "next": 2000005})"));
  EXPECT_EQ(json::parse(Ask("/files/?from=2000005").body),
            json::parse(R"({"tasks": [[2000005, 2000005]]})"));
  for (const char* target : {"/files/?from=", "/files/?from=-1", "/files/?from=x", "/files/?to=1",
                             "/files/?from=9223372036854775807"}) {
    EXPECT_EQ(Ask(target).status, 400) << target;
  }
}

TEST_F(PagesHandlerTest, OutputFilesMayHaveAnyNames) {
  const std::string names[] = {"a b.txt", "100%.txt", "na\xc3\xafve", "\xff\x01",
                               "?q#f&",   "..a",      ".hidden",      "%2e%2e"};
  for (const std::string& name : names) Put("3", "sub/" + name, name);
  Put("3", "top.html", "<p>");
  json list = json::parse(Ask("/files/3").body);
  ASSERT_EQ(list.size(), std::size(names) + 1);
  EXPECT_EQ(list[0], json({{"path", "sub/%252e%252e"}, {"bytes", 6}}));
  EXPECT_EQ(list.back(), json({{"path", "top.html"}, {"bytes", 3}}));
  std::vector<std::string> paths;
  for (const json& file : list) {
    const auto path = file.at("path").get<std::string>();
    const auto answer = Ask("/files/3/" + path);
    EXPECT_EQ(answer.content_type, "application/octet-stream");
    paths.push_back(platform::DecodePercent(path).value());
    if (paths.back() != "top.html") {
      EXPECT_EQ("sub/" + Content(Ask("/files/3/" + path)), paths.back());
    }
  }
  EXPECT_TRUE(std::is_sorted(paths.begin(), paths.end()));
  EXPECT_EQ(Content(Ask("/files/3/sub%2Fa%20b.txt?x=1")), "a b.txt");
}

TEST_F(PagesHandlerTest, OnlyOutputFilesCanBeReachedAsSuch) {
  Put("journal.db", "secret");
  Put("3", "sub/a", "x");
  Put("4", "b", "x");
  const auto task = folder_.Path() / "files" / "3";
  std::filesystem::create_symlink("../../journal.db", task / "link");
  std::filesystem::create_directory_symlink("../4", task / "folder");
  std::filesystem::create_directory_symlink(folder_.Path(), folder_.Path() / "files" / "5");
  ASSERT_EQ(::mkfifo((task / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(json::parse(Ask("/files/3").body), json::parse(R"([{"path": "sub/a", "bytes": 1}])"));
  for (const char* target : {"/files",
                             "/files/x",
                             "/files/9",
                             "/files/9/a",
                             "/files/5",
                             "/files/5/journal.db",
                             "/files/3/link",
                             "/files/3/folder/b",
                             "/files/3/pipe",
                             "/files/3/sub",
                             "/files/3/sub/",
                             "/files/3/",
                             "/files/3//sub/a",
                             "/files/3/./sub/a",
                             "/files/3/../4/b",
                             "/files/03/sub/a",
                             "/files/3/..%2F4%2Fb",
                             "/files/3/%2e%2e/4/b",
                             "/files/3%2F..%2F4%2Fb",
                             "/files/../journal.db",
                             "/files/%2e%2e/journal.db",
                             "/files//etc/passwd",
                             "/files/.staged",
                             "/files/3/sub/a%00",
                             "/files/3/sub/a%0A",
                             "/%66iles/3/sub/a"}) {
    EXPECT_EQ(Ask(target).status, 404) << target;
  }
  EXPECT_EQ(Ask("/files/3/%").status, 400);
  EXPECT_EQ(pages_.Handle({"DELETE", "/files/3/sub/a", ""}).status, 405);
  std::filesystem::rename(folder_.Path() / "files", folder_.Path() / "elsewhere");
  std::filesystem::create_directory_symlink("elsewhere", folder_.Path() / "files");
  EXPECT_EQ(Ask("/files/").body, "{\"tasks\":[]}\n");
  EXPECT_EQ(Ask("/files/3").status, 404);
  EXPECT_EQ(Ask("/files/3/sub/a").status, 404);
}

TEST_F(PagesHandlerTest, FixedPagesAreNotReadThroughLinks) {
  for (const char* name : {"report.html", "summary.json", "timeline.jsonl"}) {
    std::filesystem::create_symlink("/etc/passwd", folder_.Path() / name);
  }
  End(model::JobState::kComplete);
  for (const char* target : {"/report.html", "/summary.json", "/timeline.jsonl"}) {
    const auto response = Ask(target);
    EXPECT_EQ(response.status, 503) << target;
    EXPECT_FALSE(response.file) << target;
  }
}

TEST_F(PagesHandlerTest, TheLivePageIsTheReportsOwnAndMayAskForData) {
  const auto page = Ask("/");
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("<title>primes"), std::string::npos);
  EXPECT_NE(page.body.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(Ask("/report.html").body.find("connect-src 'none'"), std::string::npos);
  const auto data = json::parse(Ask("/live.json?since=").body);
  EXPECT_EQ(data["state"], "Running");
  EXPECT_EQ(data["nodes"][0][1][0], "pi4a");
}

TEST_F(PagesHandlerTest, TheLivePageLearnsThatTheJobIsOver) {
  End(model::JobState::kFailed);
  const auto data = json::parse(Ask("/live.json").body);
  EXPECT_EQ(data["state"], "Failed");
  EXPECT_TRUE(data["over"]);
  EXPECT_FALSE(data.contains("at"));
}

TEST_F(PagesHandlerTest, WhatIsNotThereYetIsSaid) {
  run_.over = true;
  EXPECT_EQ(Ask("/report.html").status, 503);
  JobStatus status;
  status.blocked = true;
  status.reason = "no space left";
  board_.Publish(status);
  const auto response = Ask("/summary.json");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "summary.json is not there yet; the job is Blocked: no space left\n");
}

TEST_F(PagesHandlerTest, HealthIsForEverybody) {
  HealthHandler health(board_, metrics_, folder_.Path());
  EXPECT_EQ(health.Handle(Get("/healthz")).status, 200);
  EXPECT_EQ(health.Handle(Get("/readyz")).status, 503);
  board_.SetReady(true);
  EXPECT_EQ(health.Handle(Get("/readyz")).status, 200);
  EXPECT_EQ(health.Handle(Get("/metrics")).content_type,
            "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(health.Handle(Get("/progress")).status, 404);
  EXPECT_EQ(health.Handle({"POST", "/healthz", ""}).status, 405);
}

}  // namespace
}  // namespace evenkeel::coordinator
