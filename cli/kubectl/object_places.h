#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace evenkeel::cli {

/// What an object of the cluster has at a place (a JSON pointer such as "/metadata/name"); null if
/// there is nothing. Objects are written by others: no shape of theirs is an error.
[[nodiscard]] const nlohmann::json& ValueAt(const nlohmann::json& object, const char* place);

/// As it stands there, so not yet fit for a terminal; empty if there is no text.
[[nodiscard]] std::string TextAt(const nlohmann::json& object, const char* place);

/// An empty list if there is none.
[[nodiscard]] const nlohmann::json& ListAt(const nlohmann::json& object, const char* place);

}  // namespace evenkeel::cli
