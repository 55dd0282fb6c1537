#include "simulator/fault_injector.h"

#include <string>

namespace evenkeel::simulator {

FaultInjector::FaultInjector(SimulationContext& context, CoordinatorHost& coordinator,
                             std::deque<WorkerHost>& workers)
    : context_(context), coordinator_(coordinator), workers_(workers) {}

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
    case Fault::Kind::kKillWorker:
      Note("killed", fault);
      workers_[fault.node].Kill();
      context_.time.At(until, [this, node = fault.node] { workers_[node].Start(); });
      break;
    case Fault::Kind::kKillCoordinator:
      context_.trace.Note(context_.time.Now(), "killed: the coordinator");
      coordinator_.Kill();
      context_.time.At(until, [this] {
        if (!coordinator_.running()) coordinator_.Start();
      });
      break;
    case Fault::Kind::kCutLink:
      Note("link cut", fault);
      workers_[fault.node].CutLink(until, fault.noticed_after);
      break;
    case Fault::Kind::kDrainWorker:
      Note("drained", fault);
      DrainWorker(fault.node, until);
      break;
    case Fault::Kind::kStallWorker:
      Note("stalled", fault);
      workers_[fault.node].Stall(until);
      break;
  }
}

void FaultInjector::Note(const std::string& what, const Fault& fault) const {
  context_.trace.Note(context_.time.Now(), what + ": " + context_.config.nodes[fault.node].name);
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
