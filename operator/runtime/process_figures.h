#pragma once

namespace evenkeel::operating {

/// What this process takes, as the clients of Prometheus in all languages tell it.
struct ProcessFigures {
  double cpu_seconds = 0;
  double resident_bytes = 0;  ///< 0 if it cannot be read
};

[[nodiscard]] ProcessFigures ReadProcessFigures();

}  // namespace evenkeel::operating
