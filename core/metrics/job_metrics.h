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

/// The metrics of one start of one job's coordinator, in their own registry. Thread-safe: Text()
/// sees an Update completely or not at all.
class JobMetrics {
 public:
  /// `namespace_name` and `job` name the WeightedJob. A local run has no namespace; Prometheus
  /// ignores empty labels.
  JobMetrics(const std::string& profile, const std::string& namespace_name, const std::string& job);
  ~JobMetrics();
  JobMetrics(const JobMetrics&) = delete;
  JobMetrics& operator=(const JobMetrics&) = delete;

  /// Sets all metrics from a snapshot. Counters increase by the difference to their highest value
  /// so far: a repeated snapshot adds nothing, and an older one does not decrease them. All
  /// failures have the reason "task": a snapshot does not distinguish timeouts. Nodes are
  /// identified by name and are never removed.
  void Update(const engine::Progress& progress, TransferredBytes bytes);

  /// Adds `count` tasks (> 0) to the histogram of durations, each with the mean duration busy /
  /// count.
  void ObserveTasks(std::int64_t count, Duration busy);

  /// Sets the state of the job, one of kRunStates.
  void SetState(std::string_view state);
  /// Sets size and free space of the volume with journal and results.
  void SetResultsVolume(double size_bytes, double free_bytes);

  /// All metrics in the text format of Prometheus, version 0.0.4.
  [[nodiscard]] std::string Text() const;

 private:
  class Series;
  std::unique_ptr<Series> series_;
};

}  // namespace evenkeel::metrics
