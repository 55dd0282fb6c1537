#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/sqlite_database.h"
#include "core/model/run_record.h"

/// Conversion between the rows of journal.db and records. Not thread-safe.
namespace evenkeel::coordinator {

/// Inserts rows within the caller's transaction.
class RowWriter {
 public:
  [[nodiscard]] static Result<RowWriter> Make(const Database& database);

  /// kConflict if there is a result with the same begin.
  [[nodiscard]] Result<void> Write(const model::ResultRecord& result);
  [[nodiscard]] Result<void> Write(const model::FailureRecord& failure);
  [[nodiscard]] Result<void> Write(const model::TimelineEvent& event);

  /// Must be called after a rollback, which may have removed nodes.
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
  std::string sizes_;  // of the result that is bound
};

/// Selects the rows of a table whose key is greater than parameter 1, in the order of the key.
/// Column `key_column` is the key.
struct RowQuery {
  const char* sql;
  int key_column;
};

inline constexpr RowQuery kSelectResults{
    "SELECT begin, \"end\", nodes.name, started_ns, ended_ns, busy_ns, kind, equal_size, sizes, "
    "bytes"
    " FROM results JOIN nodes ON nodes.id = results.node WHERE begin > ?1 ORDER BY begin",
    0};
/// The same rows with empty results.
inline constexpr RowQuery kSelectRanges{
    "SELECT begin, \"end\", nodes.name, started_ns, ended_ns, busy_ns, kind, 0, NULL, x''"
    " FROM results JOIN nodes ON nodes.id = results.node WHERE begin > ?1 ORDER BY begin",
    0};
inline constexpr RowQuery kSelectFailures{
    "SELECT task, nodes.name, reason, attempt, final, exit_code, NULL, failures.id"
    " FROM failures JOIN nodes ON nodes.id = failures.node"
    " WHERE failures.id > ?1 ORDER BY failures.id",
    7};
inline constexpr RowQuery kSelectFinalFailures{
    "SELECT task, nodes.name, reason, attempt, final, exit_code, record, failures.id"
    " FROM failures JOIN nodes ON nodes.id = failures.node"
    " WHERE final AND failures.id > ?1 ORDER BY failures.id",
    7};
inline constexpr RowQuery kSelectEvents{
    "SELECT kind, start_ns, end_ns, sigma_ns, n.name, f.name, tasks, detail, events.id FROM events"
    " JOIN nodes n ON n.id = events.node JOIN nodes f ON f.id = from_node"
    " WHERE events.id > ?1 ORDER BY events.id",
    8};

/// Reads the current row. kInternal if its values are invalid.
[[nodiscard]] Result<model::ResultRecord> ReadResult(const Statement& row);
[[nodiscard]] Result<model::FailureRecord> ReadFailure(const Statement& row);
[[nodiscard]] Result<model::TimelineEvent> ReadEvent(const Statement& row);

}  // namespace evenkeel::coordinator
