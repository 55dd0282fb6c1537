#pragma once

#include <string_view>

namespace evenkeel {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// The process-wide log, on stderr. Thread-safe. Quiet below `kWarning` until told otherwise.
/// Callers format the message; repeated messages are the caller's to bound.
void Log(LogLevel level, std::string_view message);

/// Lowest level that is written.
void SetLogLevel(LogLevel level);

}  // namespace evenkeel
