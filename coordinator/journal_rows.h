#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/sqlite_database.h"
#include "core/model/run_record.h"

/// Rows of journal.db from and to records. Not thread-safe: the journal locks.
namespace evenkeel::coordinator {

/// Writes rows within the transaction of the caller.
class RowWriter {
 public:
  [[nodiscard]] static Result<RowWriter> Make(const Database& database);

  /// kConflict if a result with the same begin is there.
  [[nodiscard]] Result<void> Write(const model::ResultRecord& result);
  [[nodiscard]] Result<void> Write(const model::FailureRecord& failure);
  [[nodiscard]] Result<void> Write(const model::TimelineEvent& event);

  /// To be called when the transaction was rolled back: forgets the nodes that it had added.
  void ForgetNodes() { node_ids_.clear(); }

 private:
  RowWriter(Statement node, Statement find_node, Statement result, Statement failure,
            Statement event);
  [[nodiscard]] Result<std::int64_t> NodeId(const std::string& name);

  Statement insert_node_;
  Statement find_node_;
  Statement insert_result_;
  Statement insert_failure_;
  Statement insert_event_;
  std::unordered_map<std::string, std::int64_t> node_ids_;
  std::string sizes_;  // of the row that is bound
};

inline constexpr const char* kSelectResults =
    "SELECT begin, \"end\", nodes.name, started_ns, ended_ns, busy_ns, kind, equal_size, sizes, "
    "bytes"
    " FROM results JOIN nodes ON nodes.id = results.node ORDER BY begin";
/// The same rows with empty results.
inline constexpr const char* kSelectRanges =
    "SELECT begin, \"end\", nodes.name, started_ns, ended_ns, busy_ns, kind, 0, NULL, x''"
    " FROM results JOIN nodes ON nodes.id = results.node ORDER BY begin";
inline constexpr const char* kSelectFailures =
    "SELECT task, nodes.name, reason, attempt, final, exit_code, NULL"
    " FROM failures JOIN nodes ON nodes.id = failures.node ORDER BY failures.id";
inline constexpr const char* kSelectFinalFailures =
    "SELECT task, nodes.name, reason, attempt, final, exit_code, record"
    " FROM failures JOIN nodes ON nodes.id = failures.node WHERE final ORDER BY failures.id";
inline constexpr const char* kSelectEvents =
    "SELECT kind, start_ns, end_ns, sigma_ns, n.name, f.name, tasks, detail FROM events"
    " JOIN nodes n ON n.id = events.node JOIN nodes f ON f.id = from_node ORDER BY events.id";

/// The record of the row at hand. kInternal if the row makes no sense.
[[nodiscard]] Result<model::ResultRecord> ReadResult(const Statement& row);
[[nodiscard]] Result<model::FailureRecord> ReadFailure(const Statement& row);
[[nodiscard]] Result<model::TimelineEvent> ReadEvent(const Statement& row);

}  // namespace evenkeel::coordinator
