#pragma once

#include <deque>
#include <map>
#include <string>

#include "simulator/coordinator_host.h"
#include "simulator/coordinator_processor.h"
#include "simulator/data_blocks.h"
#include "simulator/fault_injector.h"
#include "simulator/network.h"
#include "simulator/simulated_journal.h"
#include "simulator/simulated_tasks.h"
#include "simulator/simulation_config.h"
#include "simulator/simulation_context.h"
#include "simulator/worker_host.h"

namespace evenkeel::simulator {

/// A discrete-event simulation of one job: the loops of the coordinator and of the workers in
/// virtual time, with a network, nodes whose speeds change, a journal, and faults. It makes no
/// scheduling decision of its own. The same configuration gives the same outcome on every machine.
/// Not thread-safe.
class Simulation final : private StreamEndpoints {
 public:
  explicit Simulation(SimulationConfig config);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Runs until the job ends or no event is left. Called once.
  [[nodiscard]] Outcome Run();

 private:
  void OnMessage(engine::StreamId stream, engine::ToCoordinator message) override;
  void OnClosedByWorker(engine::StreamId stream) override;
  void OnMessage(std::size_t node, engine::ToWorker message) override;
  void OnClosedByCoordinator(std::size_t node) override;
  /// The operator will learn of the kill of a node's container.
  void PlanReport(const std::string& node, std::int64_t at_seconds);
  [[nodiscard]] Outcome CollectOutcome() const;

  SimulationContext context_;
  SimulatedTasks tasks_;
  CoordinatorProcessor processor_;
  Network network_;
  DataBlocks blocks_;
  InputFiles files_;
  SimulatedJournal journal_;
  CoordinatorHost coordinator_;
  std::deque<WorkerHost> workers_;  // one a node; a deque never moves them
  FaultInjector faults_;
  std::map<std::string, Instant> last_report_;  // planned, of kills of the node's container
};

}  // namespace evenkeel::simulator
