#include <algorithm>
#include <nlohmann/json.hpp>

#include "workloads/command/command.h"

namespace evenkeel::workloads::command {
namespace {

using nlohmann::json;

/// A list that begins with all of another one.
bool Lengthens(const json& list, const json& earlier) {
  return list.is_array() && earlier.is_array() && list.size() >= earlier.size() &&
         std::equal(earlier.begin(), earlier.end(), list.begin());
}

bool Raises(const json& count, const json& earlier) {
  return count.is_number_integer() && earlier.is_number_integer() && count >= earlier;
}

}  // namespace

bool IsGrown(const std::string& earlier, const std::string& now) {
  json before = json::parse(earlier, nullptr, false);
  json after = json::parse(now, nullptr, false);
  if (!before.is_object() || !after.is_object()) return false;
  for (const char* field : {"tasks", "arguments"}) {
    if (!before.contains(field) || !after.contains(field)) continue;
    if (!Raises(after[field], before[field]) && !Lengthens(after[field], before[field])) {
      return false;
    }
    before.erase(field);
    after.erase(field);
  }
  return before == after;
}

}  // namespace evenkeel::workloads::command
