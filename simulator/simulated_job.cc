#include "simulator/simulated_job.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/coordinator_loop.h"
#include "simulator/simulated_tasks.h"

namespace evenkeel::simulator {
namespace {

/// Tasks that WorkerHost runs in virtual time, without runners and reducers.
class SimulatedWorkload final : public workloads::Workload {
 public:
  SimulatedWorkload(const SimulationConfig& config, std::int64_t tasks)
      : config_(config), tasks_(tasks) {}

  [[nodiscard]] std::string_view Name() const override { return config_.job.workload; }
  [[nodiscard]] std::uint32_t Version() const override { return 1; }
  [[nodiscard]] std::int64_t TaskCount() const override { return tasks_; }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    if (!config_.costs_known) return std::make_shared<model::UnitCosts>(tasks_);
    std::vector<model::Cost> costs(static_cast<std::size_t>(tasks_));
    const auto& declared =
        config_.declared_costs.empty() ? config_.true_costs : config_.declared_costs;
    std::transform(declared.begin(), declared.begin() + tasks_, costs.begin(),
                   [](double seconds) { return FromSeconds(seconds).count(); });
    return std::make_shared<model::PrefixCosts>(costs);
  }
  [[nodiscard]] std::optional<model::RangeBounds> Ranges() const override { return config_.ranges; }
  [[nodiscard]] bool HasInputs() const override { return config_.inputs; }
  [[nodiscard]] std::string InputOf(model::TaskIndex index) const override {
    return simulator::InputOf(index);
  }
  [[nodiscard]] std::unique_ptr<workloads::TaskRunner> MakeRunner(
      const workloads::RunnerOptions&) const override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<workloads::Reducer> MakeReducer() const override { return nullptr; }

 private:
  const SimulationConfig& config_;
  std::int64_t tasks_;
};

/// Includes tasks that are appended later.
std::vector<engine::PlacedTasks> PlacedTasks(const SimulationConfig& config) {
  std::vector<engine::PlacedTasks> placed;
  for (const auto& load : config.transfers.placed) {
    placed.push_back({load.range, config.nodes[load.node].name});
  }
  return placed;
}

std::vector<engine::NodeLink> Links(const SimulationConfig& config) {
  std::vector<engine::NodeLink> links;
  for (const auto& link : config.transfers.links) {
    links.push_back(
        {config.nodes[link.one].name, config.nodes[link.other].name, link.tasks_per_second});
  }
  return links;
}

}  // namespace

coordinator::SharedJobVersion MakeJobVersion(const SimulationConfig& config, std::int64_t tasks) {
  return std::make_shared<const coordinator::JobVersion>(
      config.job, std::make_shared<const SimulatedWorkload>(config, tasks));
}

coordinator::JobIdentity IdentityOfSimulated(const coordinator::JobVersion& version) {
  coordinator::JobIdentity identity;
  identity.job = version.spec().name;
  identity.workload = version.spec().workload;
  identity.task_count = version.TaskCount();
  return identity;
}

engine::CoordinatorConfig EngineConfigOf(const SimulationConfig& config,
                                         const coordinator::JobVersion& version,
                                         const SimulatedJournal& journal, std::uint64_t epoch) {
  engine::CoordinatorConfig engine = coordinator::EngineConfigOf(version);
  engine.epoch = epoch;
  for (const auto& node : config.nodes) {
    if (!node.expected) continue;
    engine.nodes.push_back({node.name, node.ratio, node.power, false, node.rate, node.sigma});
  }
  if (config.left_out_ratio > 0) {
    engine.nodes.push_back({"left-out", config.left_out_ratio, {}, true});
  }
  engine.completed = journal.completed();
  engine.failures = journal.failures();
  engine.active_before = journal.active();
  engine.report_interval = config.report_interval;
  engine.data_fetched_ahead = config.file_bytes > 0 || !config.transfers.links.empty();
  engine.placed = PlacedTasks(config);
  engine.links = Links(config);
  engine.seed = config.seed;
  if (config.technique) {
    engine.make_strategy = [&config](const scheduling::StrategyContext& context) {
      return scheduling::MakeTechnique(*config.technique, config.technique_options, context);
    };
  }
  engine.keep_workers =
      std::any_of(config.faults.begin(), config.faults.end(),
                  [](const Fault& fault) { return fault.kind == Fault::Kind::kFailDisk; });
  engine.round_trip =
      2 * (config.network.latency + config.network.jitter) + std::chrono::microseconds(200);
  return engine;
}

}  // namespace evenkeel::simulator
