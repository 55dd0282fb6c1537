#include "core/model/field_values.h"

#include <cstdio>

namespace evenkeel::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxShownBytes = 60;

std::string Dump(const json& value, json::error_handler_t on_cut_character) {
  return value.dump(-1, ' ', false, on_cut_character);
}

std::string ShownNumber(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

}  // namespace

std::string Allowed(IntRange range) {
  return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::string Allowed(NumberRange range) {
  return (range.above_min ? "a number above " : "a number from ") + ShownNumber(range.min) +
         (range.above_min ? ", at most " : " to ") + ShownNumber(range.max);
}

std::string AllowedChoice(const std::vector<std::string>& choices) {
  return (choices.size() > 1 ? "one of " : "") + Joined(choices);
}

std::string AllowedText(std::size_t min_bytes, std::size_t max_bytes) {
  return "text of " + std::to_string(min_bytes) + " to " + std::to_string(max_bytes) + " bytes";
}

std::string Shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string() && value.get_ref<const std::string&>().size() > kMaxShownBytes) {
    const std::string begin = value.get_ref<const std::string&>().substr(0, kMaxShownBytes);
    return Dump(json(begin), json::error_handler_t::ignore) + "...";
  }
  return Dump(value, json::error_handler_t::replace);
}

std::string ShownKey(const std::string& key) {
  const std::string quoted =
      Dump(json(key.substr(0, kMaxShownBytes)), json::error_handler_t::ignore);
  const std::string escaped = quoted.substr(1, quoted.size() - 2);
  return key.size() > kMaxShownBytes ? escaped + "..." : escaped;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace evenkeel::model
