#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Text from files of the kernel and of the firmware.
namespace evenkeel::labeller {

/// Without blanks, line ends and zero bytes at both ends.
[[nodiscard]] std::string Trimmed(std::string_view text);

[[nodiscard]] std::vector<std::string> Lines(std::string_view text);

/// Maximum length of a text of a board in facts and messages.
inline constexpr std::size_t kMaxTextBytes = 200;

/// A number with at most one decimal, as it can stand in a label: "6.4", "2048".
[[nodiscard]] std::string ShortNumber(double number);

}  // namespace evenkeel::labeller
