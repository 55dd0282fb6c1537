#pragma once

#include <string_view>

namespace evenkeel {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// The process-wide log, on stderr. Thread-safe. Quiet below `kWarning` until told otherwise.
/// Callers format the message; repeated messages are the caller's to bound.
void Log(LogLevel level, std::string_view message);

/// Log never waits from now on: a thread of its own writes the lines, and drops the oldest when
/// stderr is not read. Call it once, after blocking signals.
void LogInBackground();

/// Lowest level that is written.
void SetLogLevel(LogLevel level);

}  // namespace evenkeel
