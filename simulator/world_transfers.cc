// World: tasks that come from other nodes.
#include "simulator/world.h"

namespace evenkeel::simulator {

void World::FetchRemote(std::size_t node, engine::StreamId stream, engine::Assign& assign) {
  for (const auto& transfer : transfers_.TakeRemote(node, assign.grants)) {
    ++outcome_.messages_sent;
    for (auto& grants : transfers_.Pieces(transfer)) {
      std::int64_t tasks = 0;
      for (const auto& grant : grants) tasks += grant.range.Size();
      const Instant sent = now_ + config_.network.latency;
      At(transfers_.Send(transfer.from, node, tasks, sent, rng_),
         [this, node, stream, assign = engine::Assign{std::move(grants)}]() mutable {
           Arrived(node, stream, std::move(assign));
         });
    }
  }
}

std::vector<engine::PlacedTasks> World::PlacedWithin(model::IndexRange tasks) const {
  std::vector<engine::PlacedTasks> placed;
  for (const auto& load : config_.transfers.placed) {
    const model::IndexRange part = Intersect(load.range, tasks);
    if (!part.Empty()) placed.push_back({part, config_.nodes[load.node].name});
  }
  return placed;
}

std::vector<engine::NodeLink> World::Links() const {
  std::vector<engine::NodeLink> links;
  for (const auto& link : config_.transfers.links) {
    links.push_back(
        {config_.nodes[link.one].name, config_.nodes[link.other].name, link.tasks_per_second});
  }
  return links;
}

}  // namespace evenkeel::simulator
