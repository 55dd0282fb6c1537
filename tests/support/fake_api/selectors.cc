#include "tests/support/fake_api/selectors.h"

#include <functional>
#include <optional>
#include <sstream>

namespace evenkeel::support {
namespace {

using nlohmann::json;
using Lookup = std::function<std::optional<std::string>(const std::string&)>;

bool TermMatches(const std::string& term, const Lookup& lookup) {
  const std::size_t equals = term.find('=');
  if (equals == std::string::npos) {
    return term.front() == '!' ? !lookup(term.substr(1)) : lookup(term).has_value();
  }
  const bool differs = equals > 0 && term[equals - 1] == '!';
  const std::string key = term.substr(0, differs ? equals - 1 : equals);
  const bool doubled = equals + 1 < term.size() && term[equals + 1] == '=';
  const std::string value = term.substr(equals + (doubled ? 2 : 1));
  return (lookup(key) == value) != differs;
}

bool AllTermsMatch(const std::string& selector, const Lookup& lookup) {
  std::istringstream terms(selector);
  for (std::string term; std::getline(terms, term, ',');) {
    if (!term.empty() && !TermMatches(term, lookup)) return false;
  }
  return true;
}

std::optional<std::string> TextAt(const json& object, const json::json_pointer& where) {
  if (!object.contains(where) || !object[where].is_string()) return std::nullopt;
  return object[where].get<std::string>();
}

}  // namespace

bool LabelsFit(const json& object, const std::string& selector) {
  return AllTermsMatch(selector, [&object](const std::string& key) {
    return TextAt(object, json::json_pointer("/metadata/labels") / key);
  });
}

bool FieldsFit(const json& object, const std::string& selector) {
  return AllTermsMatch(selector, [&object](const std::string& path) {
    json::json_pointer where;
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, '.');) where /= part;
    // A field that is not there counts as empty, as in the real one.
    return std::optional<std::string>(TextAt(object, where).value_or(""));
  });
}

}  // namespace evenkeel::support
