#include "simulator/fault_injector.h"

#include <string>

namespace evenkeel::simulator {

FaultInjector::FaultInjector(SimulationContext& context, CoordinatorHost& coordinator,
                             SimulatedJournal& journal, std::deque<WorkerHost>& workers)
    : context_(context), coordinator_(coordinator), journal_(journal), workers_(workers) {}

void FaultInjector::Plan() {
  for (const Fault& fault : context_.config.faults) {
    const Instant at{fault.at};
    if (fault.kind == Fault::Kind::kStallWorker) {
      workers_[fault.node].PlanStall(at, fault.lasts >= kNever - at ? kNever : at + fault.lasts);
    }
    context_.time.At(at, [this, &fault] {
      if (!context_.job_over) Inject(fault);
    });
  }
}

void FaultInjector::Inject(const Fault& fault) {
  const Instant until = context_.time.After(fault.lasts);
  switch (fault.kind) {
    case Fault::Kind::kKillCoordinator:
      Note("killed: the coordinator");
      coordinator_.Kill();
      return coordinator_.RestartAt(until);
    case Fault::Kind::kStallCoordinator:
      Note("stalled: the coordinator");
      return coordinator_.Stall(until);
    case Fault::Kind::kSlowDisk:
      Note("slow disk: commits take " + std::to_string(ToSeconds(fault.amount)) + " s");
      return journal_.SlowDown(fault.amount, until);
    case Fault::Kind::kFailDisk:
      Note("the next commit fails");
      coordinator_.RestartAfterFailure(fault.lasts);
      return journal_.FailNextCommit();
    default:
      return InjectIntoWorker(fault, until);
  }
}

void FaultInjector::InjectIntoWorker(const Fault& fault, Instant until) {
  WorkerHost& worker = workers_[fault.node];
  const std::string& name = context_.config.nodes[fault.node].name;
  switch (fault.kind) {
    case Fault::Kind::kKillWorker:
      Note("killed: " + name);
      worker.Kill();
      return context_.time.At(until, [&worker] { worker.Start(); });
    case Fault::Kind::kLosePower:
      Note("no power: " + name);
      worker.LosePower(fault.noticed_after);
      return context_.time.At(until, [&worker] { worker.Start(); });
    case Fault::Kind::kCutLink:
      Note("link cut: " + name);
      return worker.CutLink(until, fault.noticed_after);
    case Fault::Kind::kDrainWorker:
      Note("drained: " + name);
      return DrainWorker(fault.node, until);
    case Fault::Kind::kStallWorker:
      Note("stalled: " + name);
      return worker.Stall(until);
    default:
      Note("clock jumps by " + std::to_string(ToSeconds(fault.amount)) + " s: " + name);
      return worker.JumpClock(fault.amount);
  }
}

void FaultInjector::Note(const std::string& what) const {
  context_.trace.Note(context_.time.Now(), what);
}

void FaultInjector::DrainWorker(std::size_t node, Instant back) {
  WorkerHost& worker = workers_[node];
  if (!worker.running()) return;
  if (worker.stalled()) {
    return context_.time.At(worker.stalled_until(),
                            [this, node, back] { DrainWorker(node, back); });
  }
  worker.Drain();
  context_.time.At(back, [this, node] {  // a process that has not ended by then is killed
    workers_[node].Kill();
    workers_[node].Start();
  });
}

}  // namespace evenkeel::simulator
