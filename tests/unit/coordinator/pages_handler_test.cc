#include "coordinator/service/pages_handler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coordinator/service/health_handler.h"
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
