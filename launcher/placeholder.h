#pragma once

#include <string>
#include <string_view>

/// Placeholders in the words of a command.
namespace evenkeel::launcher {

/// Stands for the argument or the item of a run.
inline constexpr std::string_view kPlaceholder = "{}";

[[nodiscard]] bool HasPlaceholder(std::string_view word, std::string_view placeholder);

/// The word with `text` in place of each placeholder. A placeholder within `text` stays.
[[nodiscard]] std::string ReplacePlaceholder(std::string_view word, std::string_view placeholder,
                                             std::string_view text);

}  // namespace evenkeel::launcher
