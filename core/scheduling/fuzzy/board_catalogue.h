#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkeel::scheduling {

/// A kind of processor core.
struct CpuCore {
  std::string_view name;         ///< as people and labels call it, lower case: "cortex-a72"
  double performance_per_mhz;    ///< of one core, relative to a Cortex-A53
  std::uint32_t arm_part;        ///< part number in the main ID register (MIDR); 0 if not by Arm
  std::string_view usual_board;  ///< model to take clock, cores and power from if none is named
};

/// A board as it is sold.
struct Board {
  std::string_view model;      ///< value of label hardware.evenkeel.dev/model
  std::string_view core_name;  ///< of a CpuCore
  double mhz;                  ///< standard clock
  double cores;
  double power_watts;  ///< all cores busy
  double os_bits;      ///< what its usual system is built for
};

/// The board of that model. Also understands how the boards call themselves in
/// /proc/device-tree/model ("Raspberry Pi 4 Model B Rev 1.4") and names without "raspberry"; case,
/// blanks, '_' and '-' make no difference.
[[nodiscard]] std::optional<Board> FindBoard(std::string_view model);
/// The core whose name occurs in `text`, e.g. in "ARM-Cortex-A72".
[[nodiscard]] std::optional<CpuCore> FindCore(std::string_view text);
/// The core with that part number by Arm.
[[nodiscard]] std::optional<CpuCore> FindArmPart(std::uint32_t part);

}  // namespace evenkeel::scheduling
