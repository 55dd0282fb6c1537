#include "simulator/input_files.h"

#include <algorithm>

namespace evenkeel::simulator {

InputFiles::InputFiles(SimulationContext& context, Network& network)
    : context_(context), network_(network), nodes_(context.config.nodes.size()) {
  for (Node& node : nodes_) node.meter = std::make_shared<worker::TransferMeter>(context_.time);
  for (const CachedData& data : context.config.cached) {
    data.tasks.ForEach([&](model::IndexRange range) {
      for (model::TaskIndex task = range.begin; task < range.end; ++task) {
        nodes_[data.node].arrivals[task] = Instant{};
      }
    });
  }
}

Instant InputFiles::Request(std::size_t node, model::IndexRange tasks) {
  Instant complete = context_.time.Now();
  if (context_.config.file_bytes <= 0) return complete;
  for (model::TaskIndex task = tasks.begin; task < tasks.end; ++task) {
    complete = std::max(complete, Fetch(node, task));
  }
  return complete;
}

void InputFiles::Expect(std::size_t node, const std::vector<engine::HeldTask>& tasks) {
  nodes_[node].expected.clear();
  for (const auto& task : tasks) {
    if (task.waits) nodes_[node].expected.push_back(task.index);
  }
  FetchAhead(node);
}

void InputFiles::FetchAhead(std::size_t node) {
  Node& state = nodes_[node];
  if (state.fetches_until > context_.time.Now()) return;  // that one comes first
  const auto next =
      std::find_if(state.expected.begin(), state.expected.end(),
                   [&state](model::TaskIndex task) { return !state.arrivals.contains(task); });
  if (next == state.expected.end()) return;
  state.fetches_until = Fetch(node, *next);
  context_.time.At(state.fetches_until, [this, node, process = state.meter] {
    if (nodes_[node].meter == process) FetchAhead(node);
  });
}

Instant InputFiles::Fetch(std::size_t node, model::TaskIndex task) {
  Node& state = nodes_[node];
  const auto [known, missing] = state.arrivals.try_emplace(task);
  if (!missing) return known->second;
  const double bytes = context_.config.file_bytes;
  known->second = network_.BlockFromCoordinator(node, bytes);
  state.meter->Begin();
  context_.time.At(known->second,
                   [meter = state.meter, bytes] { meter->End(static_cast<std::int64_t>(bytes)); });
  return known->second;
}

void InputFiles::Drop(std::size_t node) {
  Node& state = nodes_[node];
  const Instant now = context_.time.Now();
  std::erase_if(state.arrivals, [now](const auto& arrival) { return arrival.second > now; });
  state.expected.clear();
  state.fetches_until = now;
  state.meter = std::make_shared<worker::TransferMeter>(context_.time);
}

}  // namespace evenkeel::simulator
