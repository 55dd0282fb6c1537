#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "core/engine/messages.h"
#include "core/scheduling/task_places.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// Moves tasks from the node where they are to the node that runs them. Each direction of a link
/// carries one transfer after the other; a node forwards a transfer when all of it has arrived. Not
/// thread-safe.
class TransferNetwork {
 public:
  explicit TransferNetwork(const TransferModel& model);

  /// Tasks of one grant after the other that come from the same node.
  struct Transfer {
    std::size_t from = 0;
    std::vector<engine::Grant> grants;
  };
  /// Takes out of the grants to `node` what is elsewhere, in the order of the nodes that have it.
  [[nodiscard]] std::vector<Transfer> TakeRemote(std::size_t node,
                                                 std::vector<engine::Grant>& grants) const;
  /// The parts that arrive together: the whole transfer, or with streams each task by itself.
  [[nodiscard]] std::vector<std::vector<engine::Grant>> Pieces(const Transfer& transfer) const;
  /// When these tasks, sent now, arrive; kNever if there is no way.
  [[nodiscard]] Instant Send(std::size_t from, std::size_t to, std::int64_t tasks, Instant now,
                             Rng& rng);

 private:
  [[nodiscard]] static scheduling::WorkerId IdOf(std::size_t node) {
    return {static_cast<std::uint32_t>(node)};
  }

  scheduling::TaskPlaces places_;  // of nodes, by their numbers
  bool exponential_;
  bool streams_;
  std::map<std::pair<scheduling::WorkerId, scheduling::WorkerId>, Instant> busy_until_;
};

}  // namespace evenkeel::simulator
