#include "coordinator/sqlite_database.h"

#include <cerrno>
#include <cstring>

namespace evenkeel::coordinator {
namespace {

/// Whether a file could not grow. EFBIG: the process has a limit of the file size.
bool IsDiskFull(int result, int system_error) {
  if (result == SQLITE_FULL) return true;
  return result == SQLITE_IOERR &&
         (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG);
}

}  // namespace

void Statement::Bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
}

void Statement::BindText(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

void Statement::BindBlob(int parameter, std::string_view bytes) {
  // A null pointer would be bound as NULL, not as an empty blob.
  const char* data = bytes.empty() ? "" : bytes.data();
  sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_STATIC);
}

void Statement::BindNull(int parameter) { sqlite3_bind_null(statement_.get(), parameter); }

Result<bool> Statement::Step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return tl::unexpected(database_->LastError());
}

Result<void> Statement::Run() {
  const Result<bool> row = Step();
  Reset();
  if (!row) return tl::unexpected(row.error());
  return {};
}

void Statement::Reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string_view Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Error NoSpaceLeft(const std::string& file) {
  return {ErrorCode::kStorageFull, file + ": no space left" + std::string(kWhenThereIsRoom)};
}

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& file) {
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  const int result = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
  std::unique_ptr<Database> database(new Database(connection, file.string()));
  if (result != SQLITE_OK) return tl::unexpected(database->LastError());
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return database;
}

Result<Statement> Database::Prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return tl::unexpected(LastError());
  return Statement(statement, *this);
}

Result<void> Database::Execute(const char* sql) const {
  const int result = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) return tl::unexpected(LastError());
  return {};
}

Result<std::int64_t> Database::Number(std::string_view sql) const {
  Result<Statement> statement = Prepare(sql);
  if (!statement) return tl::unexpected(statement.error());
  const Result<bool> row = statement->Step();
  if (!row) return tl::unexpected(row.error());
  return *row ? statement->Integer(0) : 0;
}

Result<std::string> Database::Image(std::int64_t max_bytes) const {
  const Result<std::int64_t> pages = Number("PRAGMA page_count");
  const Result<std::int64_t> page_bytes = Number("PRAGMA page_size");
  if (!pages || !page_bytes) return tl::unexpected(LastError());
  if (*pages * *page_bytes > max_bytes) {
    return Fail(ErrorCode::kStorageFull, file_ + " has " + std::to_string(*pages * *page_bytes) +
                                             " bytes, a copy may have " +
                                             std::to_string(max_bytes));
  }
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(connection_.get(), "main", &size, 0), &sqlite3_free);
  if (bytes == nullptr) return Fail(ErrorCode::kInternal, file_ + " cannot be copied");
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

void Database::CheckpointOnClose() {
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
}

void Database::RollBack() {
  // SQLite rolls back by itself after some errors.
  if (sqlite3_get_autocommit(connection_.get()) != 0) return;
  sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Error Database::LastError() const {
  // SQLite does not store the system's error if a commit fails, but errno is still unchanged.
  int system_error = errno;
  if (connection_ == nullptr) return {ErrorCode::kInternal, file_ + ": out of memory"};
  const int result = sqlite3_errcode(connection_.get()) & 0xff;
  if (const int stored = sqlite3_system_errno(connection_.get()); stored != 0)
    system_error = stored;
  if (IsDiskFull(result, system_error)) return NoSpaceLeft(file_);
  std::string because = sqlite3_errmsg(connection_.get());
  const bool by_system = result == SQLITE_IOERR || result == SQLITE_CANTOPEN;
  if (by_system && system_error != 0)
    because += std::string(" (") + std::strerror(system_error) + ")";
  switch (result) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kInUse,
              file_ + " is in use by another process; is this job running already?"};
    case SQLITE_NOTADB:
      return {ErrorCode::kConflict, file_ +
                                        " exists and is not a journal; move it away "
                                        "or use another folder"};
    case SQLITE_CONSTRAINT:
      return {ErrorCode::kConflict, file_ + ": " + because};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::kUnavailable, file_ + " cannot be written: " + because};
    case SQLITE_CORRUPT:
      return {ErrorCode::kInternal, file_ + " is damaged: " + because};
    default:
      return {ErrorCode::kInternal, file_ + ": " + because};
  }
}

}  // namespace evenkeel::coordinator
