#include "coordinator/reduce_rows.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/time.h"

namespace evenkeel::coordinator {
namespace {

/// `results` identifies the results that the command was run on: the number of tasks, and the end
/// of the latest one on the job's time line. `outcome`: an Outcome. Journals of jobs without a
/// reduce command do not have the table; a program that does not know it refuses their parameters.
constexpr const char* kCreate = R"sql(
  CREATE TABLE IF NOT EXISTS reduce_runs(
    id INTEGER PRIMARY KEY, command TEXT NOT NULL, results TEXT NOT NULL,
    outcome INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, failure TEXT, exit_code INTEGER,
    wall_ns INTEGER, stdout BLOB, stdout_cut INTEGER, stderr BLOB, stderr_cut INTEGER))sql";

constexpr const char* kResults =
    "(SELECT task_count || '/' || coalesce((SELECT max(ended_ns) FROM results), 0) FROM job)";

enum class Outcome : std::int64_t { kLost = 0, kSucceeded = 1, kFailed = 2 };

Result<bool> HasTable(const Database& database) {
  const auto tables =
      database.Number("SELECT count(*) FROM sqlite_master WHERE name = 'reduce_runs'");
  if (!tables) return tl::unexpected(tables.error());
  return *tables > 0;
}

model::ReduceRecord ReadRecord(const Statement& row) {
  model::ReduceRecord record;
  record.attempts = static_cast<std::int32_t>(row.Integer(1));
  record.failure = row.Bytes(2);
  if (!row.IsNull(3)) record.exit_code = static_cast<std::int32_t>(row.Integer(3));
  record.seconds = ToSeconds(Duration{row.Integer(4)});
  record.output = row.Bytes(5);
  record.output_cut = row.Integer(6) != 0;
  record.error = row.Bytes(7);
  record.error_cut = row.Integer(8) != 0;
  return record;
}

}  // namespace

Result<ReduceHistory> ReadReduceRuns(const Database& database, const std::string& command) {
  ReduceHistory history;
  const auto there = HasTable(database);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return history;
  auto row = database.Prepare(
      std::string("SELECT outcome, attempts, failure, exit_code, wall_ns, stdout, stdout_cut, "
                  "stderr, stderr_cut FROM reduce_runs WHERE command = ?1 AND results = ") +
      kResults + " ORDER BY id");
  if (!row) return tl::unexpected(row.error());
  row->BindText(1, command);
  for (;;) {
    const auto found = row->Step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return history;
    const auto outcome = static_cast<Outcome>(row->Integer(0));
    if (outcome == Outcome::kLost) {
      ++history.lost;
      continue;
    }
    if (outcome == Outcome::kFailed) ++history.failed;
    history.last = ReadRecord(*row);
  }
}

Result<void> InsertReduceRun(Database& database, const std::string& command) {
  const auto statement = [&](const std::string& sql) -> Result<void> {
    auto prepared = database.Prepare(sql);
    if (!prepared) return tl::unexpected(prepared.error());
    prepared->BindText(1, command);
    return prepared->Run();
  };
  const std::string outdated =
      std::string("DELETE FROM reduce_runs WHERE command <> ?1 OR results <> ") + kResults;
  const std::string insert =
      std::string("INSERT INTO reduce_runs(command, results, outcome) VALUES(?1, ") + kResults +
      ", 0)";
  auto done = database.Execute("BEGIN IMMEDIATE")
                  .and_then([&] { return database.Execute(kCreate); })
                  .and_then([&] { return statement(outdated); })
                  .and_then([&] { return statement(insert); })
                  .and_then([&] { return database.Execute("COMMIT"); });
  if (!done) database.RollBack();
  return done;
}

Result<void> EndReduceRun(const Database& database,
                          const std::optional<model::ReduceRecord>& record) {
  constexpr std::string_view kLatest = "WHERE id = (SELECT max(id) FROM reduce_runs)";
  if (!record) {
    const std::string sql = "DELETE FROM reduce_runs " + std::string(kLatest);
    return database.Execute(sql.c_str());
  }
  auto update = database.Prepare(
      "UPDATE reduce_runs SET outcome = ?1, attempts = ?2, failure = ?3, exit_code = ?4, "
      "wall_ns = ?5, stdout = ?6, stdout_cut = ?7, stderr = ?8, stderr_cut = ?9 " +
      std::string(kLatest));
  if (!update) return tl::unexpected(update.error());
  const Outcome outcome = record->failure.empty() ? Outcome::kSucceeded : Outcome::kFailed;
  update->Bind(1, static_cast<std::int64_t>(outcome));
  update->Bind(2, record->attempts);
  update->BindText(3, record->failure);
  if (record->exit_code) {
    update->Bind(4, *record->exit_code);
  } else {
    update->BindNull(4);
  }
  update->Bind(5, FromSeconds(record->seconds).count());
  update->BindBlob(6, record->output);
  update->Bind(7, std::int64_t{record->output_cut});
  update->BindBlob(8, record->error);
  update->Bind(9, std::int64_t{record->error_cut});
  return update->Run();
}

Result<void> RemoveFailedReduceRuns(const Database& database) {
  const auto there = HasTable(database);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return {};
  const std::string sql = "DELETE FROM reduce_runs WHERE outcome <> " +
                          std::to_string(static_cast<std::int64_t>(Outcome::kSucceeded));
  return database.Execute(sql.c_str());
}

Result<void> RemoveReduceRuns(Database& database) {
  return database.Execute("DROP TABLE IF EXISTS reduce_runs");
}

}  // namespace evenkeel::coordinator
