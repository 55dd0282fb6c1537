#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/engine/worker.h"
#include "core/model/data_transfer.h"
#include "core/model/index_range.h"
#include "simulator/network.h"
#include "simulator/simulation_context.h"
#include "worker/transfer_meter.h"

namespace evenkeel::simulator {

/// The input files of tasks, one for each task, which nodes fetch from the coordinator: ahead of
/// need one after the other, as the worker's FilePrefetcher does. Files stay at a node when its
/// process ends. Not thread-safe; must not be moved.
class InputFiles {
 public:
  /// Both must outlive it.
  InputFiles(SimulationContext& context, Network& network);

  /// When the files of these tasks, which start now, are at the node.
  [[nodiscard]] Instant Request(std::size_t node, model::IndexRange tasks);
  /// The tasks that the node runs or is about to run, in the order of their start.
  void Expect(std::size_t node, const std::vector<engine::HeldTask>& tasks);
  /// Takes the measurements of the transfers to the node.
  [[nodiscard]] model::DataTransfer TakeTransfer(std::size_t node) {
    return nodes_[node].meter->Take();
  }
  /// The node's process died; what was under way is lost.
  void Drop(std::size_t node);

 private:
  struct Node {
    std::map<model::TaskIndex, Instant> arrivals;
    std::vector<model::TaskIndex> expected;        // tasks that wait
    Instant fetches_until{};                       // the last fetch ahead
    std::shared_ptr<worker::TransferMeter> meter;  // of the process
  };

  [[nodiscard]] Instant Fetch(std::size_t node, model::TaskIndex task);
  void FetchAhead(std::size_t node);

  SimulationContext& context_;
  Network& network_;
  std::vector<Node> nodes_;
};

}  // namespace evenkeel::simulator
