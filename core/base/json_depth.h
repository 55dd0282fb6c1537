#pragma once

#include <cstddef>
#include <string_view>

namespace evenkeel {

/// Nesting that JSON from a peer may have. The JSON library copies and writes values recursively,
/// so a deeper value could overflow the stack of a thread.
inline constexpr std::size_t kMaxJsonDepth = 200;
/// The error for a deeper text.
inline constexpr std::string_view kAllowedJsonDepth =
    "must have at most 200 arrays and objects inside each other";

/// Whether arrays and objects in a JSON text are nested more than `max_depth` deep. Of text that is
/// not JSON, either answer may come. O(bytes); allocates nothing. Thread-safe.
[[nodiscard]] bool IsDeeperThan(std::string_view json_text, std::size_t max_depth = kMaxJsonDepth);

}  // namespace evenkeel
