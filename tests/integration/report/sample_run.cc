#include "tests/integration/report/sample_run.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/model/run_figures.h"
#include "core/model/task_description.h"
#include "report/summary_json.h"
#include "report/timeline.h"
#include "tests/integration/report/sample_cluster.h"

namespace evenkeel::testing {
namespace {

void SummariseNodes(const SampleCluster& cluster, model::RunSummary& summary) {
  double smallest = cluster.Nodes().front().guessed;
  for (const SampleNode& node : cluster.Nodes()) smallest = std::min(smallest, node.guessed);
  std::vector<double> finish_seconds;
  for (const SampleNode& node : cluster.Nodes()) {
    model::NodeSummary& row = summary.nodes.emplace_back(node.summary);
    row.name = node.name;
    row.ratio = node.guessed / smallest;
    row.mean_rate = node.speed * 9.31e6;
    if (cluster.Nodes().size() <= 3) row.declared_speed = node.speed;
    finish_seconds.push_back(ToSeconds(row.last_end));
  }
  summary.load_imbalance_percent = model::LoadImbalancePercent(finish_seconds);
  summary.makespan_seconds =
      *std::max_element(finish_seconds.begin(), finish_seconds.end()) + 0.031;
}

model::RunSummary Summarise(const SampleCluster& cluster, const SampleOptions& options) {
  model::RunSummary summary;
  SummariseNodes(cluster, summary);
  summary.job = options.job;
  summary.workload = "primes";
  summary.state = model::JobState::kComplete;
  summary.strategy = options.strategy;
  summary.tasks_total = summary.tasks_completed = options.tasks;
  summary.startup_seconds = kSampleStartupSeconds;
  summary.lower_bound_seconds = kSampleSeconds;
  summary.rate_source = "declared";
  summary.efficiency = model::Efficiency(summary.lower_bound_seconds, summary.makespan_seconds);
  summary.wasted_seconds = 0.274;
  summary.messages = static_cast<std::int64_t>(cluster.Records().size()) * 3 + 41;
  summary.moves = cluster.Moves();
  summary.bytes_sent = summary.messages * 61;
  summary.bytes_received = summary.messages * 97;
  summary.lease_seconds = 2;
  summary.speed_control = "cgroup";
  summary.seed = 12345678901234567890ULL;
  summary.result_json = R"({"count":78498,"largest":999983})";
  return summary;
}

/// The manifest of a job with these facts, as far as they are described.
nlohmann::json CommandWith(const std::string& facts) {
  nlohmann::json command = nlohmann::json::object();
  if (facts.find("costs") != std::string::npos) command["cost"] = {{"column", 1}};
  if (facts.find("noise") != std::string::npos) command["cost"] = {{"fileSize", true}};
  if (facts.find("ranges") != std::string::npos) command["range"] = {{"tasks", 2000}};
  return command;
}

}  // namespace

void AddSampleFacts(const SampleOptions& options, model::RunSummary& summary) {
  const auto has = [&options](const char* fact) {
    return options.facts.find(fact) != std::string::npos;
  };
  const nlohmann::json command = CommandWith(options.facts);
  std::map<std::string, std::string> needs;
  if (has("needs")) needs = {{"cpu", "2"}, {"memory", "1500Mi"}};
  summary.description = model::DescribeTasks({command, needs, ""});
  if (has("costs")) summary.costs = {model::CostUse::kUsed, 0.83, 0.05, 0.4};
  if (has("noise")) summary.costs = {model::CostUse::kNoise, 0.02, 0.03, 0.7};
  if (has("failures")) {
    summary.failed_attempts = {7, 3, "task 12 on pi3: OutOfMemory: <b>of</b> 512 MiB"};
  }
  if (has("alone")) summary.alone = {1, 4};
  for (std::size_t i = 0; i < summary.nodes.size(); ++i) {
    model::NodeSummary& node = summary.nodes[i];
    const double number = static_cast<double>(i % 10) + 1;
    node.threads = 1;
    if (has("needs")) node.slots = {1, i % 2 == 0 ? "memory" : ""};
    if (has("ranges")) node.ranges = {0.5 * number, 0.005 * number, 1, i % 2 == 0 ? 1 : 0, 2};
  }
}

Result<void> WriteSampleRun(const std::filesystem::path& folder, const SampleOptions& options) {
  SampleCluster cluster(options.workers, options.tasks, options.report_seconds,
                        options.strategy == "ModifiedMasterSlave");
  cluster.Run();
  auto writer = report::TimelineWriter::Create(folder / "timeline.jsonl");
  if (!writer) return tl::unexpected(writer.error());
  for (const auto& record : cluster.Records()) {
    if (auto written = writer->Write(record); !written) return written;
  }
  for (const auto& event : cluster.Events()) {
    if (auto written = writer->Write(event); !written) return written;
  }
  if (auto done = writer->Commit(); !done) return done;
  model::RunSummary summary = Summarise(cluster, options);
  if (!options.facts.empty()) AddSampleFacts(options, summary);
  return report::WriteSummary(folder / "summary.json", summary);
}

}  // namespace evenkeel::testing
