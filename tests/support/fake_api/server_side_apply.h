#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace evenkeel::support {

/// Of each field manager: what it applied last.
using FieldManagers = std::map<std::string, nlohmann::json>;

/// Applies `body` to `object` (null: it does not exist yet) in the name of `manager`: sets its
/// fields and removes those that it applied before, now leaves out, and no other manager owns.
/// Lists are set as a whole (the real server merges some of them by keys). Nothing, and no change,
/// if another manager applied a field with another value and `force` is off.
[[nodiscard]] std::optional<nlohmann::json> ApplyFields(nlohmann::json object,
                                                        const nlohmann::json& body,
                                                        const std::string& manager, bool force,
                                                        FieldManagers& managers);

}  // namespace evenkeel::support
