#pragma once

#include <deque>
#include <string>

#include "simulator/coordinator_host.h"
#include "simulator/simulated_journal.h"
#include "simulator/simulation_context.h"
#include "simulator/worker_host.h"

namespace evenkeel::simulator {

/// Injects the faults of the configuration at their times, until the job is over. Not thread-safe.
class FaultInjector {
 public:
  /// All of them must outlive it.
  FaultInjector(SimulationContext& context, CoordinatorHost& coordinator, SimulatedJournal& journal,
                std::deque<WorkerHost>& workers);

  /// Schedules all faults; called once, before the simulation runs.
  void Plan();

 private:
  void Inject(const Fault& fault);
  void InjectIntoWorker(const Fault& fault, Instant until);
  void Note(const std::string& what) const;
  void DrainWorker(std::size_t node, Instant back);

  SimulationContext& context_;
  CoordinatorHost& coordinator_;
  SimulatedJournal& journal_;
  std::deque<WorkerHost>& workers_;
};

}  // namespace evenkeel::simulator
