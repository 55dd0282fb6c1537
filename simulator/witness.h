#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/engine/messages.h"
#include "core/engine/progress.h"
#include "core/model/index_range.h"

namespace evenkeel::simulator {

/// What must never happen, counted by somebody who sees both sides.
struct Findings {
  std::int64_t leased_though_durable = 0;  ///< tasks leased anew after their result was durable
  std::int64_t side_by_side = 0;           ///< runs of a task begun while another worker ran it
  std::int64_t sent_after_end = 0;         ///< effects of the coordinator after EndJob
  std::int64_t progress_losses = 0;   ///< times that fewer tasks were durable or done than before
  std::int64_t retried_in_place = 0;  ///< retries where the task had failed, though others had not
  std::int64_t deliveries = 0;        ///< messages that arrived
  std::uint64_t digest = 0;           ///< of all deliveries with their times, in order
};

/// Watches a world from outside of the engine. Not thread-safe.
class Witness {
 public:
  using Trace = std::function<void(const std::string& line)>;

  /// `trace` may be empty. `tasks`: those whose runs it is told of, 0 if of none.
  Witness(std::size_t tasks, std::size_t nodes, Trace trace);

  /// A message arrived, or something else happened that a reader of the trace wants to know.
  void Delivered(Instant at, const std::string& what);
  void Note(Instant at, const std::string& what) const;

  /// The node runs these tasks from now on, as one batch; until then it does not any more.
  void Began(std::size_t node, model::IndexRange batch);
  void Ended(std::size_t node, model::IndexRange batch);
  /// A node that stands still runs nothing meanwhile, though its batches have not ended.
  void StandsStill(std::size_t node, bool still);

  void Saw(const engine::Progress& progress, std::uint64_t epoch);

  [[nodiscard]] Findings& Found() { return found_; }
  [[nodiscard]] bool Traces() const { return static_cast<bool>(trace_); }

 private:
  /// Other nodes than `node` that run the task at this moment.
  [[nodiscard]] bool RunsElsewhere(model::TaskIndex task, std::size_t node) const;

  Trace trace_;
  std::vector<std::multiset<std::size_t>> runners_;  // of each task
  std::vector<bool> still_;
  Findings found_;
  std::int64_t durable_ = 0;
  double done_ratio_ = 0;
  std::int64_t tasks_ = 0;
  std::uint64_t epoch_ = 0;
};

}  // namespace evenkeel::simulator
