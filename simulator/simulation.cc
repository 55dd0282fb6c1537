#include "simulator/simulation.h"

#include <algorithm>
#include <utility>

namespace evenkeel::simulator {

Simulation::Simulation(SimulationConfig config)
    : context_(std::move(config)),
      tasks_(context_.config),
      processor_(context_.config.coordinator, context_.rng),
      network_(context_, processor_, *this),
      blocks_(context_, network_),
      files_(context_, network_),
      journal_(context_, tasks_),
      coordinator_(context_, network_, journal_),
      faults_(context_, coordinator_, journal_, workers_) {
  for (std::size_t node = 0; node < context_.config.nodes.size(); ++node) {
    workers_.emplace_back(
        node, WorkerHost::Services{context_, network_, blocks_, files_, tasks_,
                                   [this](const std::string& name, std::int64_t at_seconds) {
                                     PlanReport(name, at_seconds);
                                   }});
  }
}

Outcome Simulation::Run() {
  coordinator_.Start();
  for (std::size_t node = 0; node < workers_.size(); ++node) {
    context_.time.At(Instant{context_.config.nodes[node].joins_at},
                     [this, node] { workers_[node].Start(); });
  }
  faults_.Plan();
  for (const Growth& growth : context_.config.growths) {
    context_.time.At(Instant{growth.at},
                     [this, tasks = growth.tasks] { coordinator_.Grow(tasks); });
  }
  context_.time.Run(Instant{context_.config.give_up_after});
  return CollectOutcome();
}

void Simulation::PlanReport(const std::string& node, std::int64_t at_seconds) {
  const auto longest = context_.config.container_kills->longest_report_delay;
  if (!longest) return;
  const Duration delay = FromSeconds(context_.rng.Uniform(0, ToSeconds(*longest)));
  // The states of one pod arrive in order.
  Instant& at = last_report_[node];
  at = std::max(at, context_.time.After(delay));
  context_.time.At(at, [this, node, at_seconds] { coordinator_.OnContainerEnd(node, at_seconds); });
}

Outcome Simulation::CollectOutcome() const {
  Outcome outcome;
  if (coordinator_.end()) {
    outcome.state = coordinator_.end()->state;
    outcome.reason = coordinator_.end()->reason;
    outcome.makespan = coordinator_.ended_at() - Instant{};
  }
  if (const engine::Coordinator* const engine = coordinator_.engine()) {
    outcome.progress = engine->CurrentProgress(context_.time.Now());
    outcome.stages = engine->StageEvents(Instant{} + outcome.makespan);
  }
  outcome.coordinator_starts = coordinator_.epoch();
  outcome.coordinator_seconds = processor_.seconds();
  outcome.coordinator_bytes = processor_.bytes();
  outcome.times_run = tasks_.times_run();
  outcome.times_durable = tasks_.times_durable();
  outcome.run_after_acknowledged = tasks_.run_after_acknowledged();
  for (const WorkerHost& worker : workers_) {
    outcome.busy_seconds.push_back(worker.busy_seconds());
    outcome.lost_seconds += worker.lost_seconds();
    for (const auto& [task, deaths] : worker.deaths()) outcome.deaths[task] += deaths;
  }
  outcome.messages_sent = network_.messages_sent();
  outcome.violations = context_.monitor.violations();
  outcome.deliveries = context_.trace.deliveries();
  outcome.digest = context_.trace.DigestText();
  return outcome;
}

void Simulation::OnMessage(engine::StreamId stream, engine::ToCoordinator message) {
  coordinator_.OnMessage(stream, std::move(message));
}

void Simulation::OnClosedByWorker(engine::StreamId stream) { coordinator_.OnStreamClosed(stream); }

void Simulation::OnMessage(std::size_t node, engine::ToWorker message) {
  workers_[node].OnMessage(std::move(message));
}

void Simulation::OnClosedByCoordinator(std::size_t node) { workers_[node].OnStreamClosed(); }

}  // namespace evenkeel::simulator
