#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Text from files of the kernel and of the firmware.
namespace evenkeel::labeller {

/// Without blanks, line ends and zero bytes at both ends.
[[nodiscard]] std::string Trimmed(std::string_view text);

[[nodiscard]] std::vector<std::string> Lines(std::string_view text);

/// At most 200 characters of printable ASCII, what is none as '?'.
[[nodiscard]] std::string Printable(std::string_view text);

/// A number with at most one decimal, as it can stand in a label: "6.4", "2048".
[[nodiscard]] std::string ShortNumber(double number);

}  // namespace evenkeel::labeller
