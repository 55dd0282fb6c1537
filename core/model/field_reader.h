#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::model {

/// Allowed whole numbers, both ends included.
struct IntRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// Allowed finite numbers. `max` is included; `min` is unless `above_min` is set.
struct NumberRange {
  double min = 0;
  double max = 0;
  bool above_min = false;
};

/// Describes the allowed values; the text follows "must be ".
[[nodiscard]] std::string Allowed(IntRange range);
[[nodiscard]] std::string Allowed(NumberRange range);
[[nodiscard]] std::string AllowedChoice(const std::vector<std::string>& choices);
[[nodiscard]] std::string AllowedText(std::size_t min_bytes, std::size_t max_bytes);

/// A value in one short line, for messages.
[[nodiscard]] std::string Shown(const nlohmann::json& value);
/// A quantity of a manifest as text, since people also write plain numbers. Empty if the value is a
/// list or an object.
[[nodiscard]] std::string QuantityText(const nlohmann::json& value);
/// A field's name for messages: truncated, without line breaks.
[[nodiscard]] std::string ShownKey(const std::string& key);
/// "a, b, c"
[[nodiscard]] std::string Joined(const std::vector<std::string>& words);

/// Reads the fields of a JSON object strictly: checks types and ranges, rejects unknown fields.
///
/// Reading never fails at once: after an error, values are the fallback or the smallest allowed
/// value, and Finish() returns the first error as one line "PATH.FIELD: what is allowed, what it
/// is". A null field counts as absent. Read all fields before Finish(): fields that were not read
/// are unknown.
///
///     FieldReader fields(parameters, "spec.workload.primes");
///     primes.end = fields.RequiredInt("end", {2, 1'000'000'000'000});
///     primes.method = fields.OptionalChoice("method", {"TrialDivision", "Sieve"},
///     "TrialDivision"); if (auto read = fields.Finish(); !read) return
///     tl::unexpected(read.error());
///
/// Copies and readers of inner objects share the error; Finish() of any of them covers all of them.
/// The JSON value must outlive them. Not thread-safe.
class FieldReader {
 public:
  /// `path` names the object in messages; empty for a whole document.
  FieldReader(const nlohmann::json& object, std::string path);

  [[nodiscard]] bool Has(const std::string& field) const;
  /// "PATH.FIELD"
  [[nodiscard]] std::string PathOf(const std::string& field) const;

  std::int64_t RequiredInt(const std::string& field, IntRange allowed);
  std::int64_t OptionalInt(const std::string& field, IntRange allowed, std::int64_t fallback);
  double RequiredNumber(const std::string& field, NumberRange allowed);
  double OptionalNumber(const std::string& field, NumberRange allowed, double fallback);
  bool OptionalBool(const std::string& field, bool fallback);

  /// Text of 1 to `max_bytes` bytes.
  std::string RequiredString(const std::string& field, std::size_t max_bytes);
  /// Text of 0 to `max_bytes` bytes.
  std::string OptionalString(const std::string& field, std::size_t max_bytes, std::string fallback);
  std::string RequiredChoice(const std::string& field, const std::vector<std::string>& choices);
  std::string OptionalChoice(const std::string& field, const std::vector<std::string>& choices,
                             std::string fallback);

  /// A reader of the object in this field.
  FieldReader RequiredObject(const std::string& field);
  /// The same; an absent field reads as an object without fields.
  FieldReader OptionalObject(const std::string& field);

  /// Lists; absent ones are empty.
  std::vector<std::int64_t> Ints(const std::string& field, std::size_t max_items, IntRange allowed);
  std::vector<double> Numbers(const std::string& field, std::size_t max_items, NumberRange allowed);
  std::vector<std::string> Strings(const std::string& field, std::size_t max_items,
                                   std::size_t max_bytes);
  std::vector<std::string> Choices(const std::string& field, std::size_t max_items,
                                   const std::vector<std::string>& choices);
  std::vector<FieldReader> Objects(const std::string& field, std::size_t max_items);

  /// Mappings with free keys; absent ones are empty.
  std::map<std::string, std::string> StringMap(const std::string& field, std::size_t max_items,
                                               std::size_t max_bytes);
  std::map<std::string, double> NumberMap(const std::string& field, std::size_t max_items,
                                          NumberRange allowed);

  /// The unchecked value of the field (null if absent). The field becomes known.
  const nlohmann::json& Any(const std::string& field);

  /// Accepts unknown fields of this object.
  void AllowUnknownFields();

  /// Reports an error that the caller found in a field, e.g. Fail("end", "must be above start").
  void Fail(const std::string& field, const std::string& what);

  /// True after an error, not counting unknown fields.
  [[nodiscard]] bool Failed() const;

  /// The first error, or the first unknown field.
  [[nodiscard]] Result<void> Finish() const;

 private:
  struct Scope;
  struct Shared;
  FieldReader(std::shared_ptr<Shared> shared, const nlohmann::json& object, std::string path);

  const nlohmann::json* Find(const std::string& field);
  const nlohmann::json* FindRequired(const std::string& field, const std::string& allowed);
  /// A list (or an object if not `list`) of at most `max_items`.
  const nlohmann::json* FindMany(const std::string& field, bool list, std::size_t max_items);
  template <typename T, typename ReadItem>
  std::vector<T> Items(const std::string& field, std::size_t max_items, ReadItem read);
  void FailType(const std::string& path, const std::string& allowed, const nlohmann::json& value);
  std::int64_t IntOf(const nlohmann::json& value, const std::string& path, IntRange allowed);
  double NumberOf(const nlohmann::json& value, const std::string& path, NumberRange allowed);
  std::string StringOf(const nlohmann::json& value, const std::string& path, std::size_t min_bytes,
                       std::size_t max_bytes);
  std::string ChoiceOf(const nlohmann::json& value, const std::string& path,
                       const std::vector<std::string>& choices);

  std::shared_ptr<Shared> shared_;
  std::size_t scope_;  // index into the shared scopes
};

}  // namespace evenkeel::model
