#include "operator/job_history.h"

#include <gtest/gtest.h>

#include "operator/metrics.h"
#include "tests/unit/metrics/exposition.h"

namespace evenkeel::controller {
namespace {

std::vector<DoneWork> Work(const std::string& node, double units) {
  return {{node, units, units / 10, units / 2}};
}

constexpr Duration kScrapeInterval = std::chrono::minutes(1);

class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now; }
  Instant now{std::chrono::hours(1)};
};

class JobHistoryTest : public testing::Test {
 protected:
  ManualClock clock_;
  JobHistory history_{clock_, {.scrape_interval = kScrapeInterval}};
};

TEST_F(JobHistoryTest, AddsUpByNamespaceProfileAndNode) {
  history_.Count({"lab", "primes"}, Work("pi3", 100));
  history_.Count({"lab", "primes"}, Work("pi3", 50));
  history_.Count({"lab", "matmul"}, Work("pi3", 7));
  history_.Count({"school", "primes"}, Work("pi3", 9));
  clock_.now += 2 * kScrapeInterval;
  const auto figures = history_.Show();
  EXPECT_EQ(figures.counted, 4);
  ASSERT_EQ(figures.rows.size(), 3U);
  EXPECT_EQ(figures.rows[0].key, (ProfileKey{"lab", "matmul"}));
  EXPECT_EQ(figures.rows[1].done.units, 150);
  EXPECT_EQ(figures.rows[1].done.busy_seconds, 15);
  EXPECT_EQ(figures.rows[1].done.joules, 75);
  EXPECT_EQ(figures.rows[2].key, (ProfileKey{"school", "primes"}));
  EXPECT_EQ(figures.rows[2].done.units, 9);
}

// Else a job that began and ended between two scrapes would never be seen to rise.
TEST_F(JobHistoryTest, ANewRowIsZeroForAWhileHoweverOftenItIsRead) {
  history_.Count({"lab", "primes"}, Work("pi3", 100));
  for (int scraper = 0; scraper < 3; ++scraper) {
    EXPECT_EQ(history_.Show().rows[0].done.units, 0);
  }
  clock_.now += 2 * kScrapeInterval;
  history_.Count({"lab", "primes"}, Work("pi4", 100));
  for (int scraper = 0; scraper < 3; ++scraper) {
    EXPECT_EQ(history_.Show().rows[0].done.units, 100);
    EXPECT_EQ(history_.Show().rows[1].done.units, 0);
  }
}

TEST_F(JobHistoryTest, ARowThatWasExpectedLongAgoRisesAtOnce) {
  history_.Expect({"lab", "primes"}, {"pi3"});
  clock_.now += 2 * kScrapeInterval;
  EXPECT_EQ(history_.Show().rows[0].done.units, 0);
  history_.Count({"lab", "primes"}, Work("pi3", 100));
  EXPECT_EQ(history_.Show().rows[0].done.units, 100);
}

TEST_F(JobHistoryTest, RemovesTheLeastRecentProfile) {
  JobHistory history(clock_, {.scrape_interval = kScrapeInterval, .max_rows = 2});
  history.Count({"lab", "a"}, Work("pi3", 1));
  history.Count({"lab", "b"}, Work("pi3", 1));
  history.Count({"lab", "a"}, Work("pi3", 1));
  history.Count({"lab", "c"}, Work("pi3", 1));
  const auto figures = history.Show();
  ASSERT_EQ(figures.rows.size(), 2U);
  EXPECT_EQ(figures.rows[0].key.profile, "a");
  EXPECT_EQ(figures.rows[1].key.profile, "c");
}

TEST_F(JobHistoryTest, AProfileWithTooManyNodesKeepsTheFirst) {
  JobHistory history(clock_, {.scrape_interval = kScrapeInterval, .max_rows = 2});
  history.Expect({"lab", "a"}, {"n1", "n2", "n3"});
  history.Count({"lab", "a"}, Work("n3", 1));
  EXPECT_EQ(history.Show().rows.size(), 2U);
}

// The number of series that the operator exports does not grow with the number of jobs.
TEST(OperatorMetrics, AThousandJobsWithProfilesOfTheirOwnStayWithinBounds) {
  constexpr int kJobs = 1000;
  constexpr int kNodes = 10;
  const auto metrics = OperatorMetrics::Make();
  ManualClock clock;
  JobHistory history(clock, {.scrape_interval = kScrapeInterval});
  OperatorFigures figures;
  for (int job = 0; job < kJobs; ++job) {
    std::vector<DoneWork> work;
    for (int node = 0; node < kNodes; ++node) work.push_back({"n" + std::to_string(node), 1, 1, 1});
    history.Count({"lab", "job-" + std::to_string(job)}, work);
    metrics->OnReconcileBegin();
    metrics->OnReconcileEnd(ReconcileResult::kSuccess, std::chrono::milliseconds(job));
    metrics->OnRequest({"200", "10.43.0.1:443", "PATCH"});
    ++figures.jobs[job % 2 == 0 ? "Complete" : "Progressing"];
  }
  for (int node = 0; node < kNodes; ++node) figures.node_watts["n" + std::to_string(node)] = {7, 3};
  figures.history = history.Show();
  EXPECT_EQ(figures.history.counted, kJobs);
  auto families = metrics::ParseExposition(metrics->Text(figures));
  ASSERT_TRUE(families) << families.error().message;
  std::size_t series = 0;
  for (const auto& [name, family] : *families) {
    const bool of_history = name.starts_with("evenkeel_history_") && family.samples.size() > 2;
    EXPECT_LE(family.samples.size(), of_history ? 2048U : 20U) << name;
    series += family.samples.size();
  }
  EXPECT_LE(series, 3 * 2048U + 100);
  EXPECT_EQ((*families)["evenkeel_jobs"].At("evenkeel_jobs", {{"state", "Complete"}}), kJobs / 2);
}

TEST(OperatorMetrics, AreThoseOfTheCatalogue) {
  const auto metrics = OperatorMetrics::Make();
  metrics->OnRequest({"200", "10.43.0.1:443", "GET"});
  OperatorFigures figures;
  figures.jobs["Complete"] = 1;
  figures.node_watts["pi3"] = {5.5, 2};
  figures.history.rows = {{{"lab", "primes"}, {"pi3", 1, 2, 3}}};
  auto families = metrics::ParseExposition(metrics->Text(figures));
  ASSERT_TRUE(families) << families.error().message;
  const auto catalogue = metrics::Catalogue(metrics::MetricSource::kOperator);
  EXPECT_EQ(families->size(), catalogue.size());
  for (const auto& definition : catalogue) {
    const auto& family = (*families)[std::string(definition.name)];
    EXPECT_EQ(family.help, definition.help) << definition.name;
    for (const auto& sample : family.samples) {
      const std::size_t bound = sample.labels.count("le");
      EXPECT_EQ(sample.labels.size() - bound, definition.labels.size()) << definition.name;
      for (const auto& label : definition.labels) {
        EXPECT_TRUE(sample.labels.contains(std::string(label.name))) << definition.name;
      }
    }
  }
}

TEST(OperatorMetrics, ReplicasThatDoNotLeadExportNoJobs) {
  const auto families = metrics::ParseExposition(OperatorMetrics::Make()->Text({}));
  ASSERT_TRUE(families);
  EXPECT_FALSE(families->contains("evenkeel_jobs"));
  EXPECT_TRUE(families->contains("evenkeel_history_jobs_total"));
}

}  // namespace
}  // namespace evenkeel::controller
