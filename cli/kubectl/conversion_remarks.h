#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/model/field_reader.h"

namespace evenkeel::cli {

/// Bounds of what is read. Those of a WeightedJob are lower, and are checked afterwards.
inline constexpr std::size_t kMaxListItems = 1'000;
inline constexpr std::size_t kMaxTextBytes = 65'536;

/// The container of a Job that becomes the command.
inline const std::string kContainerPath = "spec.template.spec.containers[0]";
/// The variable with the index of a task, in a Job and in a WeightedJob.
inline const std::string kIndexVariable = "JOB_COMPLETION_INDEX";
inline constexpr const char* kFileSystems = "only volumes with a file system can be mounted";

/// "LIST[I]"
[[nodiscard]] std::string ItemPath(const std::string& list, std::size_t i);

/// The objects in a list, whose fields the caller reads itself; none if the field is absent. A
/// value of another type is an error of `fields`.
[[nodiscard]] const nlohmann::json& ObjectsIn(model::FieldReader& fields, const std::string& field);

/// How a conversion treats a field of an object.
struct FieldRule {
  const char* name;
  const char* why = nullptr;  ///< why it is not converted; null: it is converted
  /// Values that a WeightedJob has anyway, so that nothing is lost with them.
  std::vector<nlohmann::json> harmless = {};
};

/// All fields of an object that a conversion knows.
using FieldRules = std::vector<FieldRule>;

/// Collects a line for each field of a manifest without a counterpart, in order of insertion. A
/// plain collection.
class ConversionRemarks {
 public:
  /// "FIELD: WHAT"
  void Add(const std::string& field, const std::string& what);
  /// "FIELD: is not converted: WHY"
  void AddUnconverted(const std::string& field, const std::string& why);

  /// Reports the fields of `object`, which is at `path`, that are not converted or unknown. Fields
  /// that are null are absent.
  void AddUnconvertedFields(const nlohmann::json& object, const std::string& path,
                            const FieldRules& rules);

  /// The same, and returns the converted fields in the order of the rules.
  [[nodiscard]] nlohmann::ordered_json KeepConverted(const nlohmann::json& object,
                                                     const std::string& path,
                                                     const FieldRules& rules);

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace evenkeel::cli
