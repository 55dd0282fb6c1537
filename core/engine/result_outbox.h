#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/engine/messages.h"

namespace evenkeel::engine {

/// Outcomes of tasks at the worker: results from the end of a task until the coordinator has
/// acknowledged them as durable, failures until they are reported. Adding a row takes constant
/// time, an acknowledgement O(log n), everything else O(n log n) of the rows it moves. Not
/// thread-safe.
class ResultOutbox {
 public:
  /// A report takes no more rows than fit into so many bytes (one row may be larger): a message
  /// must not outgrow what the wire takes, however long the coordinator was away.
  static constexpr std::size_t kReportBytes = 256 << 10;

  /// A CompletedRange with absolute times; `started_ago` and `ended_ago` are set when it is sent.
  struct Row {
    Instant started{};
    Instant ended{};
    CompletedRange completed{};
  };

  /// Adjacent rows that follow each other without a gap in time become one row.
  void Add(Row row);
  void AddFailure(FailedTask failed);
  /// Everything that was not reported, in reports of bounded size; at least one, perhaps empty.
  [[nodiscard]] std::vector<Report> TakeReports(Instant now);
  /// Forgets the row that was reported with this range, if there is one.
  void OnAcknowledged(model::IndexRange range);
  /// A new stream: what was reported and not acknowledged will be reported again.
  void ReportAgain();
  /// Grants of an earlier epoch mean nothing to the coordinator.
  void ForgetGrants();

  [[nodiscard]] bool HasUnreported() const { return !unreported_.empty() || !failed_.empty(); }
  [[nodiscard]] bool HasFailures() const { return !failed_.empty(); }
  [[nodiscard]] bool HasUnacknowledged() const { return !unacknowledged_.empty(); }
  /// Size of the results that were not reported.
  [[nodiscard]] std::size_t UnreportedBytes() const { return unreported_bytes_; }
  /// Size of all results and records kept.
  [[nodiscard]] std::int64_t KeptBytes() const { return result_bytes_ + record_bytes_; }
  [[nodiscard]] const std::vector<Row>& Unreported() const { return unreported_; }

 private:
  void JoinUnreported();

  std::vector<Row> unreported_;
  std::vector<FailedTask> failed_;                       // not reported yet
  std::multimap<model::TaskIndex, Row> unacknowledged_;  // reported, not durable; by first task
  std::size_t unreported_bytes_ = 0;                     // of results in unreported_
  std::int64_t result_bytes_ = 0;  // of results in unreported_ and unacknowledged_
  std::int64_t record_bytes_ = 0;  // of records in failed_
};

}  // namespace evenkeel::engine
