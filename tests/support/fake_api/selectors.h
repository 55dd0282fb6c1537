#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace evenkeel::support {

/// Whether the object fits a label selector of the forms a=b, a==b, a!=b, a, !a, joined by commas.
[[nodiscard]] bool LabelsFit(const nlohmann::json& object, const std::string& selector);

/// The same for a field selector of the forms path=b and path!=b, such as spec.nodeName=pi4a.
[[nodiscard]] bool FieldsFit(const nlohmann::json& object, const std::string& selector);

}  // namespace evenkeel::support
