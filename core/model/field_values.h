#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace evenkeel::model {

/// Allowed whole numbers, both ends included.
struct IntRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// Allowed finite numbers. `max` is included; `min` is unless `above_min` is set.
struct NumberRange {
  double min = 0;
  double max = 0;
  bool above_min = false;
};

/// Describes the allowed values; the text follows "must be ".
[[nodiscard]] std::string Allowed(IntRange range);
[[nodiscard]] std::string Allowed(NumberRange range);
[[nodiscard]] std::string AllowedChoice(const std::vector<std::string>& choices);
[[nodiscard]] std::string AllowedText(std::size_t min_bytes, std::size_t max_bytes);

/// A value in one short line, for messages.
[[nodiscard]] std::string Shown(const nlohmann::json& value);
/// A field's name for messages: truncated, without line breaks.
[[nodiscard]] std::string ShownKey(const std::string& key);
/// "a, b, c"
[[nodiscard]] std::string Joined(const std::vector<std::string>& words);

}  // namespace evenkeel::model
