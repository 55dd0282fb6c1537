#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace evenkeel::cli {

/// The value of a cluster object at a place (a JSON pointer such as "/metadata/name"); null if
/// there is none. Other programs write these objects, so that no shape is an error.
[[nodiscard]] const nlohmann::json& ValueAt(const nlohmann::json& object, const char* place);

/// As it stands there, so not yet fit for a terminal; empty if there is no text.
[[nodiscard]] std::string TextAt(const nlohmann::json& object, const char* place);

/// An empty list if there is none.
[[nodiscard]] const nlohmann::json& ListAt(const nlohmann::json& object, const char* place);

}  // namespace evenkeel::cli
