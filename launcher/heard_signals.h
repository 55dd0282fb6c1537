#pragma once

namespace evenkeel::launcher {

/// What has come since it was last asked.
struct HeardSignals {
  bool child = false;  ///< a child has ended
  bool end = false;    ///< SIGTERM or SIGINT
};

/// Reads from the descriptor that PrepareProcess gave, without waiting.
[[nodiscard]] HeardSignals ReadSignals(int descriptor);

}  // namespace evenkeel::launcher
