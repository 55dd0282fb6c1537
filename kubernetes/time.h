#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace evenkeel::kube {

/// Time of day for what people and other clients read in objects, never for decisions.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

/// Tells the time of day. Thread-safe.
class WallClock {
 public:
  virtual ~WallClock() = default;
  [[nodiscard]] virtual WallTime Now() const = 0;
};

class SystemWallClock final : public WallClock {
 public:
  [[nodiscard]] WallTime Now() const override;
};

/// As the API's MicroTime: "2026-11-21T12:36:00.000123Z".
[[nodiscard]] std::string MicroTime(WallTime time);

}  // namespace evenkeel::kube
