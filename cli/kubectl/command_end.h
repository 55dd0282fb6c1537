#pragma once

#include <iosfwd>

#include "core/base/error.h"
#include "platform/signals.h"

namespace evenkeel::cli {

/// Exit codes of all commands; docs/kubectl.md.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInterrupted = 130;

/// Writes the error as one line and returns its exit code. Writes nothing if a signal has
/// arrived.
int Complain(const Error& error, const platform::BlockedSignals& stop, std::ostream& err);

}  // namespace evenkeel::cli
