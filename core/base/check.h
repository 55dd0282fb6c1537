#pragma once

namespace evenkeel {

/// Prints the broken rule and its location on stderr and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* rule, const char* file, int line);

}  // namespace evenkeel

/// Asserts an invariant, in release builds too. `rule` names the broken rule in the crash message.
/// A condition that depends on input is not an invariant: return an Error instead.
#define EVENKEEL_CHECK(condition, rule) \
  ((condition) ? void(0) : ::evenkeel::CheckFailed(#condition, rule, __FILE__, __LINE__))
