#pragma once

namespace evenkeel::launcher {

/// Signals since the last call of ReadSignals. The launcher does not use platform/signals.h: it has
/// one thread, and is linked statically without the other rooms, to stay small in a user's image.
struct HeardSignals {
  bool child = false;  ///< a child has ended
  bool end = false;    ///< SIGTERM or SIGINT
};

/// Reads from the descriptor that PrepareProcess gave, without waiting.
[[nodiscard]] HeardSignals ReadSignals(int descriptor);

}  // namespace evenkeel::launcher
