#include "cli/kubectl/object_places.h"

namespace evenkeel::cli {

using nlohmann::json;

const json& ValueAt(const json& object, const char* place) {
  static const json kNothing;
  const json::json_pointer pointer(place);
  return object.contains(pointer) ? object.at(pointer) : kNothing;
}

std::string TextAt(const json& object, const char* place) {
  const json& value = ValueAt(object, place);
  return value.is_string() ? value.get<std::string>() : std::string();
}

const json& ListAt(const json& object, const char* place) {
  static const json kNone = json::array();
  const json& value = ValueAt(object, place);
  return value.is_array() ? value : kNone;
}

}  // namespace evenkeel::cli
