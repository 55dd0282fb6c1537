#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::launcher {

inline constexpr std::string_view kRangeProgram = "evenkeel-range";

/// `evenkeel-range FIRST LAST -- COMMAND [WORD...]`; `arguments` begin with FIRST. Runs the command
/// once for each item, one after the other. `{}` in its words stands for the item, which is the
/// last word if there is no `{}`. Reports `done K` to the descriptor in EVENKEEL_PROGRESS and
/// follows `last S` on the one in EVENKEEL_CONTROL, if there are such; commands inherit neither.
/// SIGTERM, SIGINT and SIGHUP end it once the running command has ended.
///
/// Returns the exit code: 0 if all items up to the last one are done, 2 after bad usage, else that
/// of the first command that fails, or 128 and the signal. A line on stderr has the reason.
[[nodiscard]] int RunRange(const std::vector<std::string>& arguments);

}  // namespace evenkeel::launcher
