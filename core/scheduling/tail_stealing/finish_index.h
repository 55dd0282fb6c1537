#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Workers ordered by a predicted time, those with the same time by number: two tournaments, whose
/// winners are the earliest and the latest one. A change is O(log workers), and mostly less: it is
/// over where another one wins as before. Not thread-safe.
class FinishIndex {
 public:
  using Entry = std::pair<Instant, WorkerId>;

  /// Puts or moves the worker; `kNever` takes it out.
  void Set(WorkerId worker, Instant at) {
    if (worker.value >= times_.size()) Grow(worker.value);
    if (times_[worker.value] == at) return;
    times_[worker.value] = at;
    Replay<Earlier>(earliest_, worker.value);
    Replay<Later>(latest_, worker.value);
  }

  /// kNever if the worker is not in the index.
  [[nodiscard]] Instant TimeOf(WorkerId worker) const {
    return worker.value < times_.size() ? times_[worker.value] : kNever;
  }
  [[nodiscard]] bool Empty() const { return times_.empty() || Earliest().first == kNever; }
  /// Of one that is not empty.
  [[nodiscard]] Entry Earliest() const { return At(Winner(earliest_, kRoot)); }
  [[nodiscard]] Entry Latest() const { return At(Winner(latest_, kRoot)); }

  /// Goes from the latest one towards the earliest. Valid until the index changes.
  class FromLatest {
   public:
    explicit FromLatest(const FinishIndex& index) : index_(index) {
      if (!index.Empty()) open_.push_back({index.Latest(), kRoot});
    }
    /// False: there is none left.
    [[nodiscard]] bool Next(Entry& entry);

   private:
    using Subtree = std::pair<Entry, std::uint32_t>;  // its winner, which was not met yet

    void Open(std::uint32_t node) {
      const Entry winner = index_.At(index_.Winner(index_.latest_, node));
      if (winner.first == kNever) return;
      open_.push_back({winner, node});
      std::push_heap(open_.begin(), open_.end());
    }

    const FinishIndex& index_;
    std::vector<Subtree> open_;  // a heap
  };

 private:
  // Nodes of a tournament are numbered from the root; those of n are 2n and 2n + 1. There are as
  // many leaves as times, and those are not kept: the winner of a leaf is its worker.
  static constexpr std::uint32_t kRoot = 1;
  using Tournament = std::vector<std::uint32_t>;

  struct Earlier {
    static bool Beats(Entry one, Entry other) { return one < other; }
  };
  struct Later {
    static bool Beats(Entry one, Entry other) {
      if (one.first == kNever || other.first == kNever) return other.first == kNever;
      return one > other;
    }
  };

  [[nodiscard]] Entry At(std::uint32_t worker) const { return {times_[worker], {worker}}; }
  [[nodiscard]] std::uint32_t Leaves() const { return static_cast<std::uint32_t>(times_.size()); }
  [[nodiscard]] std::uint32_t Winner(const Tournament& tournament, std::uint32_t node) const {
    return node >= Leaves() ? node - Leaves() : tournament[node];
  }
  template <typename Order>
  [[nodiscard]] std::uint32_t Match(const Tournament& tournament, std::uint32_t node) const {
    const std::uint32_t one = Winner(tournament, 2 * node);
    const std::uint32_t other = Winner(tournament, 2 * node + 1);
    return Order::Beats(At(one), At(other)) ? one : other;
  }
  template <typename Order>
  void Replay(Tournament& tournament, std::uint32_t worker) {
    for (std::uint32_t node = (Leaves() + worker) / 2; node >= kRoot; node /= 2) {
      const std::uint32_t winner = Match<Order>(tournament, node);
      if (winner == tournament[node] && winner != worker) return;
      tournament[node] = winner;
    }
  }
  template <typename Order>
  void PlayAll(Tournament& tournament) {
    tournament.assign(Leaves(), 0);
    for (std::uint32_t node = Leaves() - 1; node >= kRoot; --node) {
      tournament[node] = Match<Order>(tournament, node);
    }
  }
  void Grow(std::uint32_t worker) {
    std::size_t leaves = 2;
    while (leaves <= worker) leaves *= 2;
    times_.resize(leaves, kNever);
    PlayAll<Earlier>(earliest_);
    PlayAll<Later>(latest_);
  }

  std::vector<Instant> times_;  // of each worker; as many as a power of 2
  Tournament earliest_;
  Tournament latest_;
};

inline bool FinishIndex::FromLatest::Next(Entry& entry) {
  if (open_.empty()) return false;
  entry = open_.front().first;
  std::uint32_t node = open_.front().second;
  std::pop_heap(open_.begin(), open_.end());
  open_.pop_back();
  while (node < index_.Leaves()) {  // down to the one that was met; who lost to it on the way waits
    const bool left = index_.Winner(index_.latest_, 2 * node) == entry.second.value;
    Open(2 * node + (left ? 1 : 0));
    node = 2 * node + (left ? 0 : 1);
  }
  return true;
}

}  // namespace evenkeel::scheduling
