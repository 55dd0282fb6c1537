#include "cluster/json_fields.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace evenkeel::cluster {

using nlohmann::json;

const json& Child(const json& object, const char* field) {
  static const json null;
  if (!object.is_object()) return null;
  const auto found = object.find(field);
  return found == object.end() ? null : *found;
}

std::string Text(const json& object, const char* field) {
  const json& value = Child(object, field);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t Integer(const json& object, const char* field, std::int64_t fallback) {
  const json& value = Child(object, field);
  if (!value.is_number_integer()) return fallback;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return fallback;
  return value.get<std::int64_t>();
}

double Number(const json& object, const char* field, double fallback) {
  const json& value = Child(object, field);
  if (!value.is_number()) return fallback;
  const double number = value.get<double>();
  return std::isfinite(number) ? number : fallback;
}

bool Flag(const json& object, const char* field) {
  const json& value = Child(object, field);
  return value.is_boolean() && value.get<bool>();
}

std::optional<platform::Timestamp> Time(const json& object, const char* field) {
  const json& value = Child(object, field);
  if (!value.is_string()) return std::nullopt;
  return platform::ParseTimestamp(value.get_ref<const std::string&>());
}

std::map<std::string, std::string> Texts(const json& object, const char* field) {
  std::map<std::string, std::string> texts;
  const json& members = Child(object, field);
  if (!members.is_object()) return texts;
  for (const auto& [key, value] : members.items()) {
    if (value.is_string()) texts[key] = value.get<std::string>();
  }
  return texts;
}

std::map<std::string, std::string> Quantities(const json& object, const char* field) {
  std::map<std::string, std::string> texts = Texts(object, field);
  const json& members = Child(object, field);
  if (!members.is_object()) return texts;
  for (const auto& [key, value] : members.items()) {
    if (value.is_number()) texts[key] = value.dump();
  }
  return texts;
}

const json& Items(const json& object, const char* field) {
  static const json empty = json::array();
  const json& value = Child(object, field);
  return value.is_array() ? value : empty;
}

std::string At(const std::map<std::string, std::string>& texts, const std::string& key) {
  const auto found = texts.find(key);
  return found == texts.end() ? std::string() : found->second;
}

std::string Compact(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::int64_t IntegerIn(const std::string& text, std::int64_t least, std::int64_t most,
                       std::int64_t fallback) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool good = error == std::errc{} && stop == end && least <= number && number <= most;
  return good ? number : fallback;
}

}  // namespace evenkeel::cluster
