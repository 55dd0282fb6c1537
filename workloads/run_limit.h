#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "core/model/index_range.h"

namespace evenkeel::workloads {

/// The tasks of a run that does a range: the thread of the run notes which tasks are done, and
/// another thread may take back the last ones while it goes on. Thread-safe.
class RunLimit {
 public:
  /// Called with the last task that the run still does.
  using OnLowered = std::function<void(model::TaskIndex last)>;

  /// A run of these tasks begins.
  void Begin(model::IndexRange range) {
    const std::lock_guard lock(mutex_);
    range_ = range;
    next_ = range.begin;
    ended_ = false;
    on_lowered_ = {};
  }
  /// `on_lowered` is called by each CutTail that takes tasks back, until End. Must not block.
  void Watch(OnLowered on_lowered) {
    const std::lock_guard lock(mutex_);
    on_lowered_ = std::move(on_lowered);
  }
  /// The run has done the tasks up to this one, and works on the next. Others are ignored.
  void NoteDone(model::TaskIndex task) {
    const std::lock_guard lock(mutex_);
    next_ = std::clamp(task + 1, next_, range_.end);
  }
  /// The run is over: nothing can be taken back any more. Returns the tasks that it had in the end.
  model::IndexRange End() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    on_lowered_ = {};
    return range_;
  }

  /// Takes back up to `max_tasks` of the last tasks, none of which is done or begun. Empty if there
  /// are none, or if the run has not said yet what it has done.
  [[nodiscard]] model::IndexRange CutTail(std::int64_t max_tasks) {
    const std::lock_guard lock(mutex_);
    const model::TaskIndex begun = next_ > range_.begin ? next_ + 1 : range_.end;
    const std::int64_t free = ended_ ? 0 : std::max<std::int64_t>(range_.end - begun, 0);
    const model::IndexRange tail{range_.end - std::min(free, max_tasks), range_.end};
    range_.end = tail.begin;
    if (!tail.Empty() && on_lowered_) on_lowered_(range_.end - 1);
    return tail;
  }
  /// The first task that is not known to be done; that of the range before the run has said any.
  [[nodiscard]] model::TaskIndex Next() const {
    const std::lock_guard lock(mutex_);
    return next_;
  }

 private:
  mutable std::mutex mutex_;
  model::IndexRange range_;
  model::TaskIndex next_ = 0;
  bool ended_ = true;
  OnLowered on_lowered_;
};

}  // namespace evenkeel::workloads
