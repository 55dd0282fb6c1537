#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine/coordinator.h"

namespace evenkeel::bench {

/// Drives a coordinator with many workers of unequal speeds, without transport or threads. Every
/// grant is answered by a report at its virtual time.
class ManyWorkers {
 public:
  /// Speeds are 1, 2, ... 8 in turn. The declared weights are reversed, so that work moves.
  ManyWorkers(std::uint32_t workers, std::int64_t tasks);

  /// Runs the virtual job until this fraction of its tasks is complete. Calls the state machine
  /// through `timed`.
  void RunUntil(double done_share, const std::function<void(const std::function<void()>&)>& timed);
  [[nodiscard]] engine::Coordinator& TheCoordinator() { return *coordinator_; }
  [[nodiscard]] std::int64_t Decisions() const { return decisions_; }

 private:
  struct Due {
    Instant at;
    std::uint32_t worker;
    model::IndexRange range;
    Duration busy;
  };
  [[nodiscard]] double Speed(std::uint32_t worker) const { return 1.0 + worker % 8; }
  void Carry(engine::Effects effects);
  void Assign(std::uint32_t worker, const engine::Assign& assign);

  std::uint32_t workers_;
  std::int64_t tasks_;
  std::unique_ptr<engine::Coordinator> coordinator_;
  Instant now_{};
  std::vector<Due> heap_;         // by time, earliest on top
  std::vector<Instant> free_at_;  // of each worker
  std::deque<std::pair<std::uint32_t, engine::Recall>> recalls_;
  engine::BatchId durable_{};
  std::int64_t done_ = 0;
  std::int64_t decisions_ = 0;
};

}  // namespace evenkeel::bench
