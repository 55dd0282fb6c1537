#include "report/json_reader.h"

#include <limits>
#include <utility>

namespace evenkeel::report {

JsonReader::JsonReader(const Json& object, std::string where, std::string& problem)
    : object_(object), where_(std::move(where)), problem_(problem) {}

void JsonReader::Complain(const char* field, const std::string& text) {
  if (!problem_.empty()) return;
  problem_ = where_.empty() ? field : where_ + "." + field;
  problem_ += ": " + text;
}

const Json* JsonReader::Find(const char* field, Presence presence) {
  const auto found = object_.find(field);
  if (found != object_.end()) return &*found;
  if (presence == Presence::kRequired) Complain(field, "missing");
  return nullptr;
}

void JsonReader::Read(const char* field, std::string& out, Presence presence) {
  const Json* value = Find(field, presence);
  if (value == nullptr) return;
  if (!value->is_string()) return Complain(field, "text expected");
  out = value->get<std::string>();
}

void JsonReader::Read(const char* field, double& out, Presence presence) {
  const Json* value = Find(field, presence);
  if (value == nullptr) return;
  if (value->is_null()) {
    out = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!value->is_number()) return Complain(field, "number expected");
  out = value->get<double>();
}

void JsonReader::Read(const char* field, std::int64_t& out, Presence presence) {
  const Json* value = Find(field, presence);
  if (value == nullptr) return;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = value->is_number_unsigned() ? value->get<std::uint64_t>() <= kMax
                                                : value->is_number_integer();
  if (!fits) return Complain(field, "whole number expected");
  out = value->get<std::int64_t>();
}

void JsonReader::Read(const char* field, std::uint64_t& out, Presence presence) {
  const Json* value = Find(field, presence);
  if (value == nullptr) return;
  if (!value->is_number_unsigned()) return Complain(field, "whole number from 0 on expected");
  out = value->get<std::uint64_t>();
}

void JsonReader::Read(const char* field, bool& out, Presence presence) {
  const Json* value = Find(field, presence);
  if (value == nullptr) return;
  if (!value->is_boolean()) return Complain(field, "true or false expected");
  out = value->get<bool>();
}

const Json* JsonReader::Child(const char* field, Json::value_t type, Presence presence) {
  const Json* value = Find(field, presence);
  if (value == nullptr || (value->is_null() && presence == Presence::kOptional)) return nullptr;
  if (value->type() == type) return value;
  Complain(field, std::string(type == Json::value_t::object ? "object" : "list") + " expected");
  return nullptr;
}

}  // namespace evenkeel::report
