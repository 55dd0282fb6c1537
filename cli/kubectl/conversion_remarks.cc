#include "cli/kubectl/conversion_remarks.h"

#include <algorithm>

namespace evenkeel::cli {

using nlohmann::json;
using nlohmann::ordered_json;

std::string ItemPath(const std::string& list, std::size_t i) {
  return list + "[" + std::to_string(i) + "]";
}

const json& ObjectsIn(model::FieldReader& fields, const std::string& field) {
  static const json none = json::array();
  for (model::FieldReader& item : fields.Objects(field, kMaxListItems)) item.AllowUnknownFields();
  const json& list = fields.Any(field);
  return list.is_array() && !fields.Failed() ? list : none;
}

void ConversionRemarks::Add(const std::string& field, const std::string& what) {
  lines_.push_back(field + ": " + what);
}

void ConversionRemarks::AddUnconverted(const std::string& field, const std::string& why) {
  Add(field, "is not converted: " + why);
}

void ConversionRemarks::AddUnconvertedFields(const json& object, const std::string& path,
                                             const FieldRules& rules) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&name = name](const auto& one) { return name == one.name; });
    const std::string field = path + "." + model::ShownKey(name);
    if (rule == rules.end()) {
      AddUnconverted(field, "this version of kubectl evenkeel does not know the field");
    } else if (rule->why != nullptr && std::find(rule->harmless.begin(), rule->harmless.end(),
                                                 value) == rule->harmless.end()) {
      AddUnconverted(field, rule->why);
    }
  }
}

ordered_json ConversionRemarks::KeepConverted(const json& object, const std::string& path,
                                              const FieldRules& rules) {
  AddUnconvertedFields(object, path, rules);
  ordered_json kept = ordered_json::object();
  if (!object.is_object()) return kept;
  for (const FieldRule& rule : rules) {
    const auto found = object.find(rule.name);
    if (rule.why == nullptr && found != object.end() && !found->is_null()) kept[rule.name] = *found;
  }
  return kept;
}

}  // namespace evenkeel::cli
