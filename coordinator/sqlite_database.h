#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::coordinator {

/// One prepared statement. Text and blobs are bound without a copy: they must live until the next
/// Reset. Belongs to one Database and is destroyed before it. Not thread-safe.
class Statement {
 public:
  /// Parameters and columns are numbered by SQLite's rules: parameters from 1, columns from 0.
  void Bind(int parameter, std::int64_t value);
  void BindText(int parameter, std::string_view text);
  void BindBlob(int parameter, std::string_view bytes);
  void BindNull(int parameter);

  /// True if there is a row, false at the end.
  [[nodiscard]] Result<bool> Step();
  /// For statements without rows: runs it and makes it ready for the next time.
  [[nodiscard]] Result<void> Run();
  void Reset();

  [[nodiscard]] std::int64_t Integer(int column) const;
  [[nodiscard]] bool IsNull(int column) const;
  /// Text or blob; valid until the next Step or Reset.
  [[nodiscard]] std::string_view Bytes(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3_stmt* statement, const class Database& database)
      : statement_(statement), database_(&database) {}

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  const class Database* database_;
};

/// What people at a terminal are told to do about a full disk; ends the message of NoSpaceLeft.
inline constexpr std::string_view kWhenThereIsRoom =
    "; run the same command again when there is room";

/// The error of whatever found no room for `file`.
[[nodiscard]] Error NoSpaceLeft(const std::string& file);

/// One SQLite connection that keeps the file to itself. Not thread-safe: the owner locks.
class Database {
 public:
  /// Opens a file that is there; nothing is read or written yet. Until KeepOnClose is called,
  /// closing leaves file and write-ahead log exactly as they were found.
  [[nodiscard]] static Result<std::unique_ptr<Database>> Open(const std::filesystem::path& file);

  [[nodiscard]] Result<Statement> Prepare(std::string_view sql) const;
  /// Runs one or more statements and drops their rows.
  [[nodiscard]] Result<void> Execute(const char* sql) const;
  /// The one number that `sql` selects.
  [[nodiscard]] Result<std::int64_t> Number(std::string_view sql) const;

  /// The whole file as it would be with the log in it, if it has at most `max_bytes`; else
  /// kStorageFull.
  [[nodiscard]] Result<std::string> Image(std::int64_t max_bytes) const;

  /// Makes the log part of the file when this closes.
  void KeepOnClose();
  /// Ends a transaction that failed, if there is still one.
  void RollBack();

  /// What SQLite's last result means for the caller, in one line that names the file.
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
