#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace evenkeel::report {

using Json = nlohmann::ordered_json;

/// Whether a field may be absent.
enum class Presence { kRequired, kOptional };

/// Reads typed fields of one JSON object and keeps the first error, so that a caller reads all
/// fields and checks once. The object and `problem` must outlive the reader.
class JsonReader {
 public:
  /// `where` names the object in messages, e.g. "nodes[2]"; empty for the document.
  JsonReader(const Json& object, std::string where, std::string& problem);

  /// A missing optional field leaves `out` unchanged. A null number reads as NaN, because JSON
  /// writes NaN as null.
  void Read(const char* field, std::string& out, Presence presence = Presence::kRequired);
  void Read(const char* field, double& out, Presence presence = Presence::kRequired);
  void Read(const char* field, std::int64_t& out, Presence presence = Presence::kRequired);
  void Read(const char* field, std::uint64_t& out, Presence presence = Presence::kRequired);
  void Read(const char* field, bool& out, Presence presence = Presence::kRequired);
  /// The field's value if it has the given type (object or array), else null and an error. An
  /// optional field may also be null.
  [[nodiscard]] const Json* Child(const char* field, Json::value_t type,
                                  Presence presence = Presence::kRequired);

  /// Keeps the message "where.field: text" unless there is an earlier one.
  void Complain(const char* field, const std::string& text);

 private:
  [[nodiscard]] const Json* Find(const char* field, Presence presence);

  const Json& object_;
  std::string where_;
  std::string& problem_;
};

}  // namespace evenkeel::report
