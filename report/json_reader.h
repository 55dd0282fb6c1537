#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace evenkeel::report {

using Json = nlohmann::ordered_json;

/// Whether a field has to be there.
enum class Presence { kRequired, kOptional };

/// Takes typed fields out of one JSON object and keeps the first thing that was wrong, so that a
/// caller reads all fields and asks once. The object, and `problem`, outlive the reader.
class JsonReader {
 public:
  /// `where` names the object in messages, e.g. "nodes[2]"; empty for the outermost.
  JsonReader(const Json& object, std::string where, std::string& problem);

  /// A missing optional field leaves `out` as it is. A null number reads as not-a-number, which is
  /// what JSON makes of it.
  void Read(const char* field, std::string& out, Presence presence = Presence::kRequired);
  void Read(const char* field, double& out, Presence presence = Presence::kRequired);
  void Read(const char* field, std::int64_t& out, Presence presence = Presence::kRequired);
  void Read(const char* field, std::uint64_t& out, Presence presence = Presence::kRequired);
  void Read(const char* field, bool& out, Presence presence = Presence::kRequired);
  /// The field's value if it is of the given type ("object" or "array"), else null and a problem.
  [[nodiscard]] const Json* Child(const char* field, Json::value_t type);

  /// Keeps the message unless an earlier one is kept: "where.field: text".
  void Complain(const char* field, const std::string& text);

 private:
  [[nodiscard]] const Json* Find(const char* field, Presence presence);

  const Json& object_;
  std::string where_;
  std::string& problem_;
};

}  // namespace evenkeel::report
