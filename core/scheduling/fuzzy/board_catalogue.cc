#include "core/scheduling/fuzzy/board_catalogue.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace evenkeel::scheduling {
namespace {

/// Single-core results of Geekbench 5 as commonly published (Pi 3B+ at 1400 MHz 120, Pi 4B at 1500
/// MHz 220, Pi 5 at 2400 MHz 450), divided by the clock and set against the Cortex-A53: 1, 1.71,
/// 2.19. ARM1176, Cortex-A7 and x86-64 are placed by general reputation: no better than +-30 %.
/// They only start a job off; measured times correct them.
constexpr std::array<CpuCore, 6> kCores{{
    {"arm1176", 0.5, 0xb76, "raspberry-pi-1b"},
    {"cortex-a7", 0.75, 0xc07, "raspberry-pi-2b"},
    {"cortex-a53", 1.0, 0xd03, "raspberry-pi-3b"},
    {"cortex-a72", 1.7, 0xd08, "raspberry-pi-4b"},
    {"cortex-a76", 2.2, 0xd0b, "raspberry-pi-5"},
    {"x86-64", 2.5, 0, "x86-64"},
}};

/// Clocks and cores from the makers' product briefs. Power of Pi 3B and 4B: the paper's table 1
/// (its source [27], 400 % processor load); the others are rounded from published measurements
/// under full load without peripherals, and are good to about 1 W (x86-64: a small office machine,
/// a guess).
constexpr std::array<Board, 16> kBoards{{
    {"raspberry-pi-1b", "arm1176", 700, 1, 2.0, 32},
    {"raspberry-pi-zero-w", "arm1176", 1000, 1, 1.8, 32},
    {"raspberry-pi-2b", "cortex-a7", 900, 4, 4.0, 32},
    {"raspberry-pi-zero-2-w", "cortex-a53", 1000, 4, 3.0, 64},
    {"raspberry-pi-3b", "cortex-a53", 1200, 4, 5.1, 64},
    {"raspberry-pi-3b-plus", "cortex-a53", 1400, 4, 5.7, 64},
    {"raspberry-pi-3a-plus", "cortex-a53", 1400, 4, 5.0, 64},
    {"raspberry-pi-cm3", "cortex-a53", 1200, 4, 4.5, 64},
    {"raspberry-pi-cm3-plus", "cortex-a53", 1200, 4, 4.5, 64},
    {"raspberry-pi-4b", "cortex-a72", 1500, 4, 6.4, 64},
    {"raspberry-pi-cm4", "cortex-a72", 1500, 4, 6.4, 64},
    {"raspberry-pi-400", "cortex-a72", 1800, 4, 7.0, 64},
    {"raspberry-pi-5", "cortex-a76", 2400, 4, 8.8, 64},
    {"raspberry-pi-500", "cortex-a76", 2400, 4, 8.8, 64},
    {"raspberry-pi-cm5", "cortex-a76", 2400, 4, 8.8, 64},
    {"x86-64", "x86-64", 2500, 4, 45.0, 64},
}};

/// Boards that call themselves otherwise than they are sold, even with "Model" left out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOwnNames{{
    {"raspberrypib", "raspberrypi1b"},  // "Raspberry Pi Model B Rev 2"
    {"raspberrypibplus", "raspberrypi1b"},
    {"raspberrypi5b", "raspberrypi5"},  // "Raspberry Pi 5 Model B Rev 1.0"
}};

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Lower-case letters and digits, everything else as '-', but '+' as "plus".
std::string Normal(std::string_view text) {
  std::string normal;
  for (const char c : text) {
    if (c == '+') {
      normal += "plus";
    } else {
      normal +=
          IsWordCharacter(c) ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
    }
  }
  return normal;
}

/// A model's name without what different spellings differ in: "raspberrypi4b", "raspberrypicm4".
std::string Compact(std::string_view model) {
  std::string text = Normal(model);
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  const auto replace = [&text](std::string_view from, std::string_view to) {
    if (const std::size_t at = text.find(from); at != std::string::npos) {
      text.replace(at, from.size(), to);
    }
  };
  if (const std::size_t at = text.find("rev"); at != std::string::npos) text.resize(at);
  replace("computemodule", "cm");
  replace("model", "");
  if (text.starts_with("pi")) text = "raspberry" + text;
  for (const auto& [own, sold] : kOwnNames) {
    if (text == own) return std::string(sold);
  }
  return text;
}

/// True if `name` stands in `text` and no longer word goes on behind it ("cortex-a7" is not in
/// "cortex-a72"); the core of a Pi 1 is written ARM1176JZF-S, so there letters may follow.
bool Names(const std::string& text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return false;
  const std::size_t end = at + name.size();
  return end == text.size() || !IsWordCharacter(text[end]) ||
         (name == "arm1176" && std::isalpha(static_cast<unsigned char>(text[end])) != 0);
}

}  // namespace

std::optional<Board> FindBoard(std::string_view model) {
  const std::string wanted = Compact(model);
  const auto board = std::find_if(kBoards.begin(), kBoards.end(),
                                  [&wanted](const Board& b) { return wanted == Compact(b.model); });
  if (board == kBoards.end()) return std::nullopt;
  return *board;
}

std::optional<CpuCore> FindCore(std::string_view text) {
  const std::string normal = Normal(text);
  const auto core = std::find_if(kCores.begin(), kCores.end(),
                                 [&normal](const CpuCore& c) { return Names(normal, c.name); });
  if (core == kCores.end()) return std::nullopt;
  return *core;
}

std::optional<CpuCore> FindArmPart(std::uint32_t part) {
  const auto core = std::find_if(kCores.begin(), kCores.end(), [part](const CpuCore& c) {
    return part != 0 && c.arm_part == part;
  });
  if (core == kCores.end()) return std::nullopt;
  return *core;
}

}  // namespace evenkeel::scheduling
