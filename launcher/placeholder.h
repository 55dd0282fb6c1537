#pragma once

#include <string>
#include <string_view>

/// Placeholders in the words of a command.
namespace evenkeel::launcher {

/// Stands for the argument or the item of a run.
inline constexpr std::string_view kPlaceholder = "{}";
/// Stands for the index of a task, in the paths of its files.
inline constexpr std::string_view kIndexPlaceholder = "{index}";
/// Stand for the first and the last task of a range.
inline constexpr std::string_view kFirstPlaceholder = "{first}";
inline constexpr std::string_view kLastPlaceholder = "{last}";
/// Stands for the file of merged results, in a reduce command.
inline constexpr std::string_view kResultsPlaceholder = "{results}";

/// Whether the whole word looks like a placeholder: braces with nothing or a lower-case name in
/// between.
[[nodiscard]] bool IsPlaceholder(std::string_view word);

[[nodiscard]] bool HasPlaceholder(std::string_view word, std::string_view placeholder);

/// The word with `text` in place of each placeholder. A placeholder within `text` stays.
[[nodiscard]] std::string ReplacePlaceholder(std::string_view word, std::string_view placeholder,
                                             std::string_view text);

}  // namespace evenkeel::launcher
