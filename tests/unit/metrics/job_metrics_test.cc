#include "core/metrics/job_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>

#include "core/metrics/catalogue.h"
#include "tests/unit/metrics/exposition.h"

namespace evenkeel::metrics {
namespace {

engine::NodeProgress Node(const std::string& name, model::Cost cost, double busy, double rate) {
  engine::NodeProgress node;
  node.name = name;
  node.ratio = rate / 10;
  node.cost = cost;
  node.busy_seconds = busy;
  node.rate = rate;
  node.mean_rate = rate;
  node.threads = 4;
  node.last_end = FromSeconds(busy);
  return node;
}

engine::Progress HalfDone() {
  engine::Progress progress;
  progress.tasks_total = 100;
  progress.tasks_completed = 50;
  progress.tasks_failed = 2;
  progress.cost_done_ratio = 0.5;
  progress.eta = std::chrono::seconds(30);
  progress.cost_total = 1000;
  progress.elapsed = std::chrono::seconds(12);
  progress.moves = {7, 3, 1};
  progress.recalls_failed = 2;
  progress.nodes = {Node("pi-1", 400, 0.1, 40), Node("pi-2", 100, 0.3, 10)};
  progress.nodes[0].power = {10, 4};
  progress.nodes[0].data_wait_seconds = 0.04;
  progress.nodes[0].transfer = {3000, std::chrono::seconds(2)};
  return progress;
}

const TransferredBytes kBytes{1000, 2000};
const LabelValues kPiOne = {{"node", "pi-1"}, {"profile", "primes"}};

class JobMetricsTest : public testing::Test {
 protected:
  MetricFamily Read(const std::string& name) { return Read()[name]; }
  Exposition Read() {
    auto families = ParseExposition(metrics_.Text());
    EXPECT_TRUE(families) << families.error().message;
    return families.value_or(Exposition{});
  }
  double Value(const std::string& name, const LabelValues& labels = {}) {
    return Read(name).At(name, labels);
  }

  JobMetrics metrics_{"primes", "lab", "primes-to-a-million"};
};

TEST_F(JobMetricsTest, EachMetricOfTheCatalogueIsThereOnceAndNoOther) {
  metrics_.Update(HalfDone(), kBytes);
  metrics_.ObserveTasks(1, std::chrono::seconds(1));
  metrics_.SetState("Running");
  metrics_.SetResultsVolume(1000, 400);
  const auto families = Read();
  EXPECT_EQ(families.size(), Catalogue(MetricSource::kCoordinator).size());
  for (const auto& definition : Catalogue(MetricSource::kCoordinator)) {
    const auto found = families.find(std::string(definition.name));
    ASSERT_NE(found, families.end()) << definition.name;
    EXPECT_EQ(found->second.help, definition.help);
    EXPECT_EQ(found->second.type, definition.type == MetricType::kCounter ? "counter"
                                  : definition.type == MetricType::kGauge ? "gauge"
                                                                          : "histogram");
  }
}

TEST_F(JobMetricsTest, SeriesHaveTheLabelsAndValuesOfTheCatalogue) {
  metrics_.Update(HalfDone(), kBytes);
  auto families = Read();
  for (const auto& definition : Catalogue(MetricSource::kCoordinator)) {
    for (auto& sample : families[std::string(definition.name)].samples) {
      sample.labels.erase("le");
      ASSERT_EQ(sample.labels.size(), definition.labels.size()) << definition.name;
      for (const Label& label : definition.labels) {
        ASSERT_TRUE(sample.labels.contains(std::string(label.name))) << definition.name;
        const std::set<std::string_view> allowed(label.values.begin(), label.values.end());
        EXPECT_TRUE(allowed.empty() || allowed.contains(sample.labels[std::string(label.name)]))
            << definition.name << " " << label.name;
      }
    }
  }
}

TEST_F(JobMetricsTest, HasTheValuesOfTheSnapshot) {
  metrics_.Update(HalfDone(), kBytes);
  EXPECT_EQ(Value("evenkeel_tasks_completed_total"), 50);
  EXPECT_EQ(Value("evenkeel_tasks_failed_total", {{"reason", "task"}}), 2);
  EXPECT_EQ(Value("evenkeel_work_units_total", kPiOne), 400);
  EXPECT_EQ(Value("evenkeel_worker_busy_seconds_total", kPiOne), 0.1);
  EXPECT_EQ(Value("evenkeel_worker_data_wait_seconds_total", {{"node", "pi-1"}}), 0.04);
  EXPECT_EQ(Value("evenkeel_worker_fetched_bytes_total", {{"node", "pi-1"}}), 3000);
  EXPECT_EQ(Value("evenkeel_worker_fetch_seconds_total", {{"node", "pi-1"}}), 2);
  EXPECT_EQ(Value("evenkeel_node_rate_units_per_second", kPiOne), 40);
  EXPECT_EQ(Value("evenkeel_node_weight_ratio", {{"node", "pi-1"}}), 4);
  EXPECT_EQ(Value("evenkeel_moves_total", {{"kind", "reserved"}, {"outcome", "done"}}), 7);
  EXPECT_EQ(Value("evenkeel_moves_total", {{"kind", "leased"}, {"outcome", "done"}}), 3);
  EXPECT_EQ(Value("evenkeel_moves_total", {{"kind", "copy"}, {"outcome", "started"}}), 1);
  EXPECT_EQ(Value("evenkeel_transfer_bytes_total", {{"direction", "sent"}}), 1000);
  EXPECT_EQ(Value("evenkeel_transfer_bytes_total", {{"direction", "received"}}), 2000);
  const LabelValues job = {{"namespace", "lab"}, {"weighted_job", "primes-to-a-million"}};
  EXPECT_EQ(Value("evenkeel_job_progress_ratio", job), 0.5);
  EXPECT_EQ(Value("evenkeel_job_eta_seconds"), 30);
  EXPECT_EQ(Value("evenkeel_moves_total", {{"kind", "leased"}, {"outcome", "failed"}}), 2);
  EXPECT_EQ(Value("evenkeel_node_threads", {{"node", "pi-1"}}), 4);
  EXPECT_EQ(Value("evenkeel_job_elapsed_seconds"), 12);
  EXPECT_EQ(Value("evenkeel_job_lower_bound_seconds"), 20) << "1000 units at 40 + 10 a second";
  EXPECT_NEAR(Value("evenkeel_job_load_imbalance_ratio"), 1 - 0.2 / 0.3, 1e-12);
}

TEST_F(JobMetricsTest, JoulesAreThoseAboveTheIdleDraw) {
  metrics_.Update(HalfDone(), kBytes);
  EXPECT_NEAR(Value("evenkeel_energy_joules_total", kPiOne), 6 * 0.1 / 4, 1e-12);
  const LabelValues unknown = {{"node", "pi-2"}, {"profile", "primes"}};
  EXPECT_TRUE(std::isnan(Value("evenkeel_energy_joules_total", unknown)));
}

TEST_F(JobMetricsTest, TheSameSnapshotAgainAddsNothing) {
  metrics_.Update(HalfDone(), kBytes);
  auto later = HalfDone();
  later.nodes[0].busy_seconds = 0.3;
  metrics_.Update(later, kBytes);
  const std::string before = metrics_.Text();
  metrics_.Update(later, kBytes);
  EXPECT_EQ(metrics_.Text(), before);
}

TEST_F(JobMetricsTest, CountersAdvanceByTheDifference) {
  metrics_.Update(HalfDone(), kBytes);
  auto later = HalfDone();
  later.tasks_completed = 80;
  later.nodes[0].cost = 640;
  metrics_.Update(later, {1500, 2000});
  EXPECT_EQ(Value("evenkeel_tasks_completed_total"), 80);
  EXPECT_EQ(Value("evenkeel_work_units_total", kPiOne), 640);
  EXPECT_EQ(Value("evenkeel_transfer_bytes_total", {{"direction", "sent"}}), 1500);
}

TEST_F(JobMetricsTest, CountersNeverGoBackNorCountTwice) {
  metrics_.Update(HalfDone(), kBytes);
  metrics_.Update(engine::Progress{}, {});
  EXPECT_EQ(Value("evenkeel_tasks_completed_total"), 50);
  EXPECT_EQ(Value("evenkeel_work_units_total", kPiOne), 400);
  metrics_.Update(HalfDone(), kBytes);
  EXPECT_EQ(Value("evenkeel_tasks_completed_total"), 50);
}

TEST_F(JobMetricsTest, WhatIsNotKnownIsAbsent) {
  auto progress = HalfDone();
  progress.eta.reset();
  progress.nodes[0].rate = 0;
  metrics_.Update(progress, kBytes);
  EXPECT_TRUE(std::isnan(Value("evenkeel_job_eta_seconds")));
  EXPECT_TRUE(std::isnan(Value("evenkeel_node_rate_units_per_second", kPiOne)));
  metrics_.Update(HalfDone(), kBytes);
  EXPECT_EQ(Value("evenkeel_job_eta_seconds"), 30);
  EXPECT_EQ(Value("evenkeel_node_rate_units_per_second", kPiOne), 40);
  metrics_.Update(progress, kBytes);
  EXPECT_TRUE(std::isnan(Value("evenkeel_job_eta_seconds")));
}

TEST_F(JobMetricsTest, ALongTaskOnTheFastestThreadIsALowerBound) {
  auto progress = HalfDone();
  progress.cost_longest = 199;
  metrics_.Update(progress, kBytes);
  EXPECT_EQ(Value("evenkeel_job_lower_bound_seconds"), 20) << "199 units at 10 a second are less";
  progress.cost_longest = 300;
  metrics_.Update(progress, kBytes);
  EXPECT_EQ(Value("evenkeel_job_lower_bound_seconds"), 30) << "pi-1 has 4 threads and 40 a second";
}

TEST_F(JobMetricsTest, WithoutAllRatesThereIsNoLowerBound) {
  auto progress = HalfDone();
  progress.nodes[1].mean_rate = 0;
  metrics_.Update(progress, kBytes);
  EXPECT_TRUE(Read("evenkeel_job_lower_bound_seconds").samples.empty());
}

TEST_F(JobMetricsTest, TheJobIsInOneStateAtATime) {
  LabelValues job = {{"namespace", "lab"}, {"weighted_job", "primes-to-a-million"}};
  metrics_.SetState("Running");
  metrics_.SetState("Complete");
  const auto family = Read("evenkeel_job_state");
  EXPECT_EQ(family.samples.size(), std::size(kRunStates));
  for (const std::string_view state : kRunStates) {
    job["state"] = std::string(state);
    EXPECT_EQ(family.At("evenkeel_job_state", job), state == "Complete" ? 1 : 0) << state;
  }
}

TEST_F(JobMetricsTest, TellsTheRoomOnTheVolume) {
  metrics_.SetResultsVolume(1000, 400);
  EXPECT_EQ(Value("evenkeel_results_volume_size_bytes"), 1000);
  EXPECT_EQ(Value("evenkeel_results_volume_free_bytes"), 400);
}

TEST_F(JobMetricsTest, StolenTasksAreCountedOnBothSides) {
  auto progress = HalfDone();
  progress.nodes[0].stolen_in = 3;
  progress.nodes[0].stolen_out = 1;
  metrics_.Update(progress, kBytes);
  EXPECT_EQ(Value("evenkeel_stolen_tasks_total", {{"node", "pi-1"}, {"way", "in"}}), 3);
  EXPECT_EQ(Value("evenkeel_stolen_tasks_total", {{"node", "pi-1"}, {"way", "out"}}), 1);
}

TEST_F(JobMetricsTest, CountersAreThereBeforeTheFirstSnapshot) {
  EXPECT_EQ(Value("evenkeel_tasks_completed_total"), 0);
  EXPECT_EQ(Value("evenkeel_tasks_failed_total", {{"reason", "task"}}), 0);
  EXPECT_EQ(Read("evenkeel_task_duration_seconds").At("evenkeel_task_duration_seconds_count", {}),
            0);
}

TEST_F(JobMetricsTest, TasksReportedTogetherCountWithTheirMean) {
  metrics_.ObserveTasks(4, std::chrono::milliseconds(800));
  metrics_.ObserveTasks(1, std::chrono::hours(2));
  const auto family = Read("evenkeel_task_duration_seconds");
  const std::string bucket = "evenkeel_task_duration_seconds_bucket";
  EXPECT_EQ(family.At(bucket, {{"le", "0.1"}}), 0);
  EXPECT_EQ(family.At(bucket, {{"le", "0.25"}}), 4);
  EXPECT_EQ(family.At(bucket, {{"le", "3600"}}), 4);
  EXPECT_EQ(family.At(bucket, {{"le", "+Inf"}}), 5);
  EXPECT_EQ(family.At("evenkeel_task_duration_seconds_count", {}), 5);
  EXPECT_DOUBLE_EQ(family.At("evenkeel_task_duration_seconds_sum", {}), 7200.8);
}

TEST_F(JobMetricsTest, SeriesGrowWithNodesOnly) {
  const auto count = [this] {
    std::size_t series = 0;
    for (const auto& [name, family] : Read()) series += family.samples.size();
    return series;
  };
  auto progress = HalfDone();
  metrics_.Update(progress, kBytes);
  const std::size_t with_two = count();
  progress.tasks_completed = 1'000'000;
  progress.tasks_failed = 1'000;
  progress.failed_indexes = "3,7-9";
  for (int i = 0; i < 1'000; ++i) metrics_.ObserveTasks(i + 1, std::chrono::seconds(i));
  metrics_.Update(progress, kBytes);
  EXPECT_EQ(count(), with_two);
  progress.nodes.push_back(Node("pi-3", 1, 1, 1));
  metrics_.Update(progress, kBytes);
  EXPECT_EQ(count(), with_two + 10);
}

TEST_F(JobMetricsTest, StrangeNamesAreEscaped) {
  auto progress = HalfDone();
  progress.nodes[0].name = "a \"quoted\\\n\" name";
  metrics_.Update(progress, kBytes);
  EXPECT_EQ(Value("evenkeel_node_weight_ratio", {{"node", "a \"quoted\\\n\" name"}}), 4);
}

TEST_F(JobMetricsTest, TextSeesAllOfASnapshotOrNothing) {
  constexpr int kSnapshots = 300;
  std::thread writer([this] {
    engine::Progress progress = HalfDone();
    for (int i = 1; i <= kSnapshots; ++i) {
      progress.tasks_completed = i;
      metrics_.Update(progress, {i, i});
      metrics_.ObserveTasks(1, std::chrono::seconds(1));
    }
  });
  double completed = 0;
  while (completed < kSnapshots) {
    auto families = Read();
    const std::string name = "evenkeel_tasks_completed_total";
    const std::string bytes = "evenkeel_transfer_bytes_total";
    completed = families[name].At(name, {});
    EXPECT_EQ(families[bytes].At(bytes, {{"direction", "received"}}), completed);
    if (HasFailure()) break;
  }
  writer.join();
}

TEST(Exposition, TheParserOfTheseTestsRefusesWhatIsWrong) {
  const std::string head = "# HELP a_total b.\n# TYPE a_total counter\n";
  EXPECT_TRUE(ParseExposition(head + "a_total{x=\"1\",y=\"\"} 2.5\n"));
  for (const std::string wrong :
       {"a_total 1", "a_total\n", "a_total x\n", "a_total 1z\n", "b_total 1\n", "a_total{x=1} 1\n",
        "a_total{x=\"\"\"} 1\n", "a_total 1\na_total 2\n", "# TYPE a_total gauge\n"}) {
    EXPECT_FALSE(ParseExposition(head + wrong)) << wrong;
  }
  EXPECT_FALSE(ParseExposition(head + head));
}

}  // namespace
}  // namespace evenkeel::metrics
