#include "core/model/field_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

namespace evenkeel::model {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxShownBytes = 60;

std::string Dump(const json& value, json::error_handler_t on_cut_character) {
  return value.dump(-1, ' ', false, on_cut_character);
}

std::string ShownNumber(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

const json& EmptyObject() {
  static const json empty = json::object();
  return empty;
}

std::string Indexed(const std::string& path, std::size_t i) {
  return path + "[" + std::to_string(i) + "]";
}

}  // namespace

std::string Allowed(IntRange range) {
  return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::string Allowed(NumberRange range) {
  return (range.above_min ? "a number above " : "a number from ") + ShownNumber(range.min) +
         (range.above_min ? ", at most " : " to ") + ShownNumber(range.max);
}

std::string AllowedChoice(const std::vector<std::string>& choices) {
  return (choices.size() > 1 ? "one of " : "") + Joined(choices);
}

std::string AllowedText(std::size_t min_bytes, std::size_t max_bytes) {
  return "text of " + std::to_string(min_bytes) + " to " + std::to_string(max_bytes) + " bytes";
}

std::string Shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string() && value.get_ref<const std::string&>().size() > kMaxShownBytes) {
    const std::string begin = value.get_ref<const std::string&>().substr(0, kMaxShownBytes);
    return Dump(json(begin), json::error_handler_t::ignore) + "...";
  }
  return Dump(value, json::error_handler_t::replace);
}

std::string QuantityText(const json& value) {
  if (value.is_structured()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string ShownKey(const std::string& key) {
  const std::string quoted =
      Dump(json(key.substr(0, kMaxShownBytes)), json::error_handler_t::ignore);
  const std::string escaped = quoted.substr(1, quoted.size() - 2);
  return key.size() > kMaxShownBytes ? escaped + "..." : escaped;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// An object that is being read.
struct FieldReader::Scope {
  const json* object;
  std::string path;
  std::vector<std::string> known;  // in the order of reading
  bool unknown_allowed = false;
};

struct FieldReader::Shared {
  std::vector<Scope> scopes;
  std::optional<std::string> first_error;
  std::optional<std::size_t> missing_in;  // scope of the first error, if that is a missing field
};

FieldReader::FieldReader(const json& object, std::string path)
    : FieldReader(std::make_shared<Shared>(), object, std::move(path)) {}

FieldReader::FieldReader(std::shared_ptr<Shared> shared, const json& object, std::string path)
    : shared_(std::move(shared)), scope_(shared_->scopes.size()) {
  if (!object.is_object()) FailType(path.empty() ? "the document" : path, "an object", object);
  shared_->scopes.push_back(
      {object.is_object() ? &object : &EmptyObject(), std::move(path), {}, false});
}

bool FieldReader::Has(const std::string& field) const {
  const json& object = *shared_->scopes[scope_].object;
  const auto found = object.find(field);
  return found != object.end() && !found->is_null();
}

std::string FieldReader::PathOf(const std::string& field) const {
  const std::string& path = shared_->scopes[scope_].path;
  return path.empty() ? field : path + "." + field;
}

const json* FieldReader::Find(const std::string& field) {
  Scope& scope = shared_->scopes[scope_];
  if (std::find(scope.known.begin(), scope.known.end(), field) == scope.known.end()) {
    scope.known.push_back(field);
  }
  return Has(field) ? &*scope.object->find(field) : nullptr;
}

const json* FieldReader::FindRequired(const std::string& field, const std::string& allowed) {
  const json* value = Find(field);
  if (value == nullptr && !shared_->first_error) {
    shared_->first_error = PathOf(field) + ": is missing, must be " + allowed;
    shared_->missing_in = scope_;
  }
  return value;
}

void FieldReader::FailType(const std::string& path, const std::string& allowed, const json& value) {
  if (shared_->first_error) return;
  shared_->first_error = path + ": must be " + allowed + ", is " + Shown(value);
}

void FieldReader::Fail(const std::string& field, const std::string& what) {
  if (!shared_->first_error) shared_->first_error = PathOf(field) + ": " + what;
}

bool FieldReader::Failed() const { return shared_->first_error.has_value(); }

std::int64_t FieldReader::IntOf(const json& value, const std::string& path, IntRange allowed) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
  if (fits && allowed.min <= number && number <= allowed.max) return number;
  FailType(path, Allowed(allowed), value);
  return allowed.min;
}

double FieldReader::NumberOf(const json& value, const std::string& path, NumberRange allowed) {
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  const bool above = allowed.above_min ? number > allowed.min : number >= allowed.min;
  if (above && number <= allowed.max) return number;  // false for NaN
  FailType(path, Allowed(allowed), value);
  return allowed.max;
}

std::string FieldReader::StringOf(const json& value, const std::string& path, std::size_t min_bytes,
                                  std::size_t max_bytes) {
  if (!value.is_string()) {
    const char* hint = value.is_primitive() ? " in quotes" : "";
    FailType(path, AllowedText(min_bytes, max_bytes) + hint, value);
    return {};
  }
  const std::string& text = value.get_ref<const std::string&>();
  const bool fits = text.size() >= min_bytes && text.size() <= max_bytes;
  if (fits && text.find('\0') == std::string::npos) return text;  // C interfaces end a text at NUL
  FailType(path, AllowedText(min_bytes, max_bytes), value);
  return {};
}

std::string FieldReader::ChoiceOf(const json& value, const std::string& path,
                                  const std::vector<std::string>& choices) {
  if (value.is_string()) {
    const auto found = std::find(choices.begin(), choices.end(), value.get<std::string>());
    if (found != choices.end()) return *found;
  }
  FailType(path, AllowedChoice(choices), value);
  return choices.front();
}

std::int64_t FieldReader::RequiredInt(const std::string& field, IntRange allowed) {
  const json* value = FindRequired(field, Allowed(allowed));
  return value ? IntOf(*value, PathOf(field), allowed) : allowed.min;
}

std::int64_t FieldReader::OptionalInt(const std::string& field, IntRange allowed,
                                      std::int64_t fallback) {
  const json* value = Find(field);
  return value ? IntOf(*value, PathOf(field), allowed) : fallback;
}

double FieldReader::RequiredNumber(const std::string& field, NumberRange allowed) {
  const json* value = FindRequired(field, Allowed(allowed));
  return value ? NumberOf(*value, PathOf(field), allowed) : allowed.max;
}

double FieldReader::OptionalNumber(const std::string& field, NumberRange allowed, double fallback) {
  const json* value = Find(field);
  return value ? NumberOf(*value, PathOf(field), allowed) : fallback;
}

bool FieldReader::OptionalBool(const std::string& field, bool fallback) {
  const json* value = Find(field);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  FailType(PathOf(field), "true or false", *value);
  return fallback;
}

std::string FieldReader::RequiredString(const std::string& field, std::size_t max_bytes) {
  const json* value = FindRequired(field, AllowedText(1, max_bytes));
  return value ? StringOf(*value, PathOf(field), 1, max_bytes) : std::string();
}

std::string FieldReader::OptionalString(const std::string& field, std::size_t max_bytes,
                                        std::string fallback) {
  const json* value = Find(field);
  return value ? StringOf(*value, PathOf(field), 0, max_bytes) : std::move(fallback);
}

std::string FieldReader::RequiredChoice(const std::string& field,
                                        const std::vector<std::string>& choices) {
  const json* value = FindRequired(field, AllowedChoice(choices));
  return value ? ChoiceOf(*value, PathOf(field), choices) : choices.front();
}

std::string FieldReader::OptionalChoice(const std::string& field,
                                        const std::vector<std::string>& choices,
                                        std::string fallback) {
  const json* value = Find(field);
  return value ? ChoiceOf(*value, PathOf(field), choices) : std::move(fallback);
}

FieldReader FieldReader::RequiredObject(const std::string& field) {
  const json* value = FindRequired(field, "an object");
  return FieldReader(shared_, value ? *value : EmptyObject(), PathOf(field));
}

FieldReader FieldReader::OptionalObject(const std::string& field) {
  const json* value = Find(field);
  return FieldReader(shared_, value ? *value : EmptyObject(), PathOf(field));
}

const json* FieldReader::FindMany(const std::string& field, bool list, std::size_t max_items) {
  const json* value = Find(field);
  if (value == nullptr) return nullptr;
  const std::string allowed =
      (list ? "a list of at most " : "an object of at most ") + std::to_string(max_items);
  if (list ? !value->is_array() : !value->is_object()) {
    FailType(PathOf(field), allowed, *value);
    return nullptr;
  }
  if (value->size() <= max_items) return value;
  Fail(field, "must be " + allowed + ", has " + std::to_string(value->size()));
  return nullptr;
}

template <typename T, typename ReadItem>
std::vector<T> FieldReader::Items(const std::string& field, std::size_t max_items, ReadItem read) {
  std::vector<T> items;
  if (const json* list = FindMany(field, true, max_items)) {
    for (const json& item : *list)
      items.push_back(read(item, Indexed(PathOf(field), items.size())));
  }
  return items;
}

std::vector<std::int64_t> FieldReader::Ints(const std::string& field, std::size_t max_items,
                                            IntRange allowed) {
  return Items<std::int64_t>(field, max_items, [&](const json& item, const std::string& path) {
    return IntOf(item, path, allowed);
  });
}

std::vector<double> FieldReader::Numbers(const std::string& field, std::size_t max_items,
                                         NumberRange allowed) {
  return Items<double>(field, max_items, [&](const json& item, const std::string& path) {
    return NumberOf(item, path, allowed);
  });
}

std::vector<std::string> FieldReader::Strings(const std::string& field, std::size_t max_items,
                                              std::size_t max_bytes) {
  return Items<std::string>(field, max_items, [&](const json& item, const std::string& path) {
    return StringOf(item, path, 0, max_bytes);
  });
}

std::vector<std::string> FieldReader::Choices(const std::string& field, std::size_t max_items,
                                              const std::vector<std::string>& choices) {
  return Items<std::string>(field, max_items, [&](const json& item, const std::string& path) {
    return ChoiceOf(item, path, choices);
  });
}

std::vector<FieldReader> FieldReader::Objects(const std::string& field, std::size_t max_items) {
  return Items<FieldReader>(field, max_items, [&](const json& item, const std::string& path) {
    return FieldReader(shared_, item, path);
  });
}

std::map<std::string, std::string> FieldReader::StringMap(const std::string& field,
                                                          std::size_t max_items,
                                                          std::size_t max_bytes) {
  std::map<std::string, std::string> texts;
  if (const json* mapping = FindMany(field, false, max_items)) {
    for (const auto& [key, value] : mapping->items()) {
      texts[key] = StringOf(value, PathOf(field) + "." + ShownKey(key), 0, max_bytes);
    }
  }
  return texts;
}

std::map<std::string, double> FieldReader::NumberMap(const std::string& field,
                                                     std::size_t max_items, NumberRange allowed) {
  std::map<std::string, double> numbers;
  if (const json* mapping = FindMany(field, false, max_items)) {
    for (const auto& [key, value] : mapping->items()) {
      numbers[key] = NumberOf(value, PathOf(field) + "." + ShownKey(key), allowed);
    }
  }
  return numbers;
}

const json& FieldReader::Any(const std::string& field) {
  static const json null;
  const json* value = Find(field);
  return value ? *value : null;
}

void FieldReader::AllowUnknownFields() { shared_->scopes[scope_].unknown_allowed = true; }

Result<void> FieldReader::Finish() const {
  for (std::size_t i = 0; i < shared_->scopes.size(); ++i) {
    // A misspelled required field is both unknown and missing; the unknown name helps the user
    // more.
    if (shared_->first_error && shared_->missing_in != i) continue;
    const Scope& scope = shared_->scopes[i];
    if (scope.unknown_allowed) continue;
    const std::set<std::string> known(scope.known.begin(), scope.known.end());
    for (const auto& [key, value] : scope.object->items()) {
      if (known.contains(key)) continue;
      const std::string prefix = scope.path.empty() ? "" : scope.path + ".";
      return InvalidInput(prefix + ShownKey(key) + ": unknown field, known are " +
                          Joined(scope.known));
    }
  }
  if (shared_->first_error) return InvalidInput(*shared_->first_error);
  return {};
}

}  // namespace evenkeel::model
