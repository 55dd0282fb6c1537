#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/range_set.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// The master of the strategies that have one.
inline constexpr WorkerId kMaster{0};

/// Which workers are expected or connected, and not lost. Numbers are dense. Not thread-safe.
class LiveWorkers {
 public:
  /// Adds `count` living workers.
  void Add(std::size_t count) { alive_.resize(alive_.size() + count, true); }
  void Set(WorkerId worker, bool alive) { alive_[worker.value] = alive; }
  /// A worker joined, was lost or returned; other events do not matter.
  void Apply(const WorkerEvent& event);

  /// Number of workers, lost ones included.
  [[nodiscard]] std::size_t Size() const { return alive_.size(); }
  [[nodiscard]] bool Alive(WorkerId worker) const { return alive_[worker.value]; }
  [[nodiscard]] bool AnyAlive() const;
  /// The next living worker after `worker` in the order of numbers; itself if there is no other.
  [[nodiscard]] WorkerId NextAlive(WorkerId worker) const;

 private:
  std::vector<bool> alive_;
};

/// The tasks of strategies that reserve none: any worker may get them, in index order. Knows
/// nothing of workers. Not thread-safe.
class SharedPool {
 public:
  /// Adds tasks; none of them may be in the pool.
  void Insert(model::IndexRange range);
  void Insert(const model::RangeSet& tasks);
  /// Takes the first `count` tasks, fewer if there are fewer.
  [[nodiscard]] std::vector<model::IndexRange> TakeFirst(std::int64_t count);
  /// Takes the first consecutive tasks, up to `count` >= 1 of them. The pool must not be empty.
  [[nodiscard]] model::IndexRange TakeFirstRange(std::int64_t count);
  /// Removes the tasks of this range, as far as they are here: they were completed or withheld.
  void Withdraw(model::IndexRange range) { tasks_.Erase(range); }

  [[nodiscard]] bool Empty() const { return tasks_.Empty(); }
  [[nodiscard]] std::int64_t Tasks() const { return tasks_.Size(); }
  [[nodiscard]] bool Contains(model::IndexRange range) const { return tasks_.Contains(range); }

 private:
  model::RangeSet tasks_;
};

}  // namespace evenkeel::scheduling
