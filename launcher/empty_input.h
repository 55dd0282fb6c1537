#pragma once

namespace evenkeel::launcher {

/// A descriptor that reads as empty, for the stdin of commands: /dev/null or, where there is no
/// such file, a pipe without a writer. Opened at the first call and kept.
[[nodiscard]] int EmptyInput();

}  // namespace evenkeel::launcher
