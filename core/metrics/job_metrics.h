#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "core/engine/progress.h"

namespace evenkeel::metrics {

/// Bytes since the coordinator started.
struct TransferredBytes {
  std::int64_t sent = 0;
  std::int64_t received = 0;
};

/// The metrics of one start of one job's coordinator, in a registry of their own. Thread-safe:
/// Text() sees all of an Update or nothing of it.
class JobMetrics {
 public:
  /// `name_space` and `job` name the WeightedJob; a run outside of a cluster has no namespace, and
  /// an empty label is none to Prometheus.
  JobMetrics(const std::string& profile, const std::string& name_space, const std::string& job);
  ~JobMetrics();
  JobMetrics(const JobMetrics&) = delete;
  JobMetrics& operator=(const JobMetrics&) = delete;

  /// Takes over a snapshot. Counters advance by the difference to the highest value so far, so the
  /// same snapshot again adds nothing and an older one takes nothing back. All failures count as
  /// reason "task": a snapshot does not tell timeouts apart. Nodes are known by their names and
  /// stay once they have been seen.
  void Update(const engine::Progress& progress, TransferredBytes bytes);

  /// `count` tasks (> 0), which took `busy` together, have counted results. Each enters the
  /// histogram with the mean of them.
  void ObserveTasks(std::int64_t count, Duration busy);

  /// The job is in this state, one of kRunStates.
  void SetState(std::string_view state);
  /// Of the volume with journal and results.
  void SetResultsVolume(double size_bytes, double free_bytes);

  /// All metrics in Prometheus' text format, version 0.0.4.
  [[nodiscard]] std::string Text() const;

 private:
  class Series;
  std::unique_ptr<Series> series_;
};

}  // namespace evenkeel::metrics
