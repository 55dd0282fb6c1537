#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "platform/time.h"

/// Lenient reading of what the API server has judged already: a field that is absent or of another
/// type reads as if it were not there, so that one strange object affects no other.
namespace evenkeel::cluster {

/// object[field]; null if there is none.
[[nodiscard]] const nlohmann::json& Child(const nlohmann::json& object, const char* field);
/// Empty if it is no string.
[[nodiscard]] std::string Text(const nlohmann::json& object, const char* field);
[[nodiscard]] std::int64_t Integer(const nlohmann::json& object, const char* field,
                                   std::int64_t fallback = 0);
/// Finite, or the fallback.
[[nodiscard]] double Number(const nlohmann::json& object, const char* field, double fallback = 0);
[[nodiscard]] bool Flag(const nlohmann::json& object, const char* field);
[[nodiscard]] std::optional<platform::Timestamp> Time(const nlohmann::json& object,
                                                      const char* field);
/// The members that are strings.
[[nodiscard]] std::map<std::string, std::string> Texts(const nlohmann::json& object,
                                                       const char* field);
/// Empty if there is none of that key.
[[nodiscard]] std::string At(const std::map<std::string, std::string>& texts,
                             const std::string& key);
/// Quantities, which people also write as numbers, as text.
[[nodiscard]] std::map<std::string, std::string> Quantities(const nlohmann::json& object,
                                                            const char* field);
/// The list object[field]; an empty one if it is none.
[[nodiscard]] const nlohmann::json& Items(const nlohmann::json& object, const char* field);

/// JSON text in one line; replaces bytes that are not UTF-8.
[[nodiscard]] std::string Compact(const nlohmann::json& value);

/// The number in a string such as an annotation's; `fallback` if it is none or not in [least,
/// most].
[[nodiscard]] std::int64_t IntegerIn(const std::string& text, std::int64_t least, std::int64_t most,
                                     std::int64_t fallback);

}  // namespace evenkeel::cluster
