#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::coordinator {

/// One prepared statement. Text and blobs are bound without a copy and must live until the next
/// Reset. Must be destroyed before its Database. Not thread-safe.
class Statement {
 public:
  Statement() = default;  ///< to be assigned to before use

  /// As in SQLite, parameters are numbered from 1 and columns from 0.
  void Bind(int parameter, std::int64_t value);
  void BindText(int parameter, std::string_view text);
  void BindBlob(int parameter, std::string_view bytes);
  void BindNull(int parameter);

  /// Advances to the next row; false at the end.
  [[nodiscard]] Result<bool> Step();
  /// Runs a statement that returns no rows, and resets it.
  [[nodiscard]] Result<void> Run();
  void Reset();

  [[nodiscard]] std::int64_t Integer(int column) const;
  [[nodiscard]] bool IsNull(int column) const;
  /// The column's text or blob; valid until the next Step or Reset.
  [[nodiscard]] std::string_view Bytes(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3_stmt* statement, const class Database& database)
      : statement_(statement), database_(&database) {}

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  const class Database* database_ = nullptr;
};

/// Advice for a user at a terminal; the end of NoSpaceLeft's message.
inline constexpr std::string_view kWhenThereIsRoom =
    "; run the same command again when there is room";

/// The error for a write to `file` that failed because the disk is full.
[[nodiscard]] Error NoSpaceLeft(const std::string& file);

/// One SQLite connection. Not thread-safe.
class Database {
 public:
  /// Opens an existing file without reading or writing it. Unless CheckpointOnClose is called,
  /// closing leaves the file and its write-ahead log as they were found.
  [[nodiscard]] static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& file);

  [[nodiscard]] Result<Statement> Prepare(std::string_view sql) const;
  /// Runs one or more statements and ignores their rows.
  [[nodiscard]] Result<void> Execute(const char* sql) const;
  /// Returns the single number that `sql` selects.
  [[nodiscard]] Result<std::int64_t> Number(std::string_view sql) const;

  /// Returns the bytes of the database with its write-ahead log merged. kStorageFull if these are
  /// more than `max_bytes`.
  [[nodiscard]] Result<std::string> Image(std::int64_t max_bytes) const;

  /// Merges the write-ahead log into the file when this closes.
  void CheckpointOnClose();
  /// Rolls back the open transaction, if any.
  void RollBack();

  /// Translates SQLite's last result into one line that names the file.
  [[nodiscard]] Error LastError() const;

 private:
  struct Closer {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  Database(sqlite3* connection, std::string file)
      : connection_(connection), file_(std::move(file)) {}

  std::unique_ptr<sqlite3, Closer> connection_;
  std::string file_;
};

}  // namespace evenkeel::coordinator
