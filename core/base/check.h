#pragma once

namespace evenkeel {

/// Prints the broken rule with its place on stderr and aborts: going on would lose or repeat work.
[[noreturn]] void CheckFailed(const char* condition, const char* rule, const char* file, int line);

}  // namespace evenkeel

/// An invariant, asserted in production too. `rule` says what would be wrong, for whoever reads the
/// crash.
#define EVENKEEL_CHECK(condition, rule) \
  ((condition) ? void(0) : ::evenkeel::CheckFailed(#condition, rule, __FILE__, __LINE__))
