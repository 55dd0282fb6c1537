#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

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
  [[nodiscard]] Result<void> Write(const model::ConfirmationRecord& confirmation);
  /// Also removes the results of the node and the confirmations to which it was a party.
  [[nodiscard]] Result<void> Write(const model::ExclusionRecord& exclusion);

  /// Must be called after a rollback, which may have removed nodes.
  void ForgetNodes() { node_ids_.clear(); }

 private:
  struct Statements {
    Statement insert_node;
    Statement find_node;
    Statement insert_result;
    Statement insert_failure;
    Statement insert_event;
    Statement insert_confirmation;
    Statement delete_confirmations;
    Statement delete_results;
    Statement insert_exclusion;
  };
  explicit RowWriter(Statements statements) : statements_(std::move(statements)) {}
  [[nodiscard]] Result<std::int64_t> NodeId(const std::string& name);

  Statements statements_;
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
/// The columns of kSelectResults for the first row with results of tasks from parameter 1 to before
/// parameter 2; nothing if there is none.
inline constexpr const char* kSelectFirstOverlap =
    "SELECT begin, \"end\", nodes.name, started_ns, ended_ns, busy_ns, kind, equal_size, sizes, "
    "bytes"
    " FROM results JOIN nodes ON nodes.id = results.node"
    " WHERE begin >= COALESCE((SELECT MAX(begin) FROM results WHERE begin <= ?1), ?1)"
    " AND begin < ?2 AND \"end\" > ?1 ORDER BY begin LIMIT 1";
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
inline constexpr RowQuery kSelectConfirmations{
    "SELECT task, nodes.name FROM confirmations JOIN nodes ON nodes.id = second"
    " WHERE task > ?1 ORDER BY task",
    0};
inline constexpr RowQuery kSelectExclusions{
    "SELECT nodes.name, task, reason, revoked, node FROM exclusions"
    " JOIN nodes ON nodes.id = node WHERE node > ?1 ORDER BY node",
    4};

/// Reads the current row. kInternal if its values are invalid.
[[nodiscard]] Result<model::ResultRecord> ReadResult(const Statement& row);
[[nodiscard]] Result<model::FailureRecord> ReadFailure(const Statement& row);
[[nodiscard]] Result<model::TimelineEvent> ReadEvent(const Statement& row);
[[nodiscard]] Result<model::ExclusionRecord> ReadExclusion(const Statement& row);

}  // namespace evenkeel::coordinator
