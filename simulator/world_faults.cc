// World: what goes wrong in it.
#include "simulator/world.h"

namespace evenkeel::simulator {

void World::PlanFaults() {
  for (const Fault& fault : config_.faults) {
    if (fault.kind == Fault::Kind::kStandStill) {
      const Instant until =
          fault.lasts >= kNever - Instant{fault.at} ? kNever : Instant{fault.at} + fault.lasts;
      config_.nodes[fault.node].speed.StandStill(Instant{fault.at}, until);
    }
    At(Instant{fault.at}, [this, fault] {
      if (!over_) Happen(fault);
    });
  }
}

void World::Happen(const Fault& fault) {
  const Instant back = Later(fault.lasts);
  const std::string node =
      fault.kind == Fault::Kind::kKillCoordinator ? "" : config_.nodes[fault.node].name;
  switch (fault.kind) {
    case Fault::Kind::kKillWorker:
      witness_.Note(now_, "killed: " + node);
      KillWorker(fault.node);
      At(back, [this, fault] { StartWorker(fault.node); });
      break;
    case Fault::Kind::kKillCoordinator:
      witness_.Note(now_, "killed: the coordinator");
      KillCoordinator();
      At(back, [this] {
        if (!coordinator_) StartCoordinator();
      });
      break;
    case Fault::Kind::kCutLink:
      witness_.Note(now_, "link cut: " + node);
      CutLink(fault);
      break;
    case Fault::Kind::kDrainWorker:
      witness_.Note(now_, "told to stop: " + node);
      DrainWorker(fault.node, back);
      break;
    case Fault::Kind::kStandStill:
      witness_.Note(now_, "stands still: " + node);
      StandStill(fault);
      break;
  }
}

void World::DrainWorker(std::size_t node, Instant back) {
  if (!processes_[node].worker) return;
  if (PutOff(node, [this, node, back] { DrainWorker(node, back); })) return;
  Carry(node, processes_[node].worker->OnDrain(now_));
  At(back, [this, node] {  // whoever has not ended by then is killed
    KillWorker(node);
    StartWorker(node);
  });
}

void World::CutLink(const Fault& fault) {
  Process& process = processes_[fault.node];
  process.cut_until = std::max(process.cut_until, Later(fault.lasts));
  if (!process.stream) return;
  if (Stream* const stream = OpenStream(*process.stream)) stream->carries_up = false;
  Disconnect(fault.node, fault.noticed_after, fault.lasts);
}

void World::StandStill(const Fault& fault) {
  Process& process = processes_[fault.node];
  process.still_until = std::max(process.still_until, Later(fault.lasts));
  witness_.StandsStill(fault.node, true);
  if (process.still_until == kNever) return;
  // Whatever was put off comes first: a node that goes on may find that it has to stop its tasks.
  At(process.still_until + Duration{1}, [this, node = fault.node] {
    if (processes_[node].still_until < now_) witness_.StandsStill(node, false);
  });
}

}  // namespace evenkeel::simulator
