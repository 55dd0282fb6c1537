#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

std::string ToString(const ObjectKey& key) {
  return key.space.empty() ? key.name : key.space + "/" + key.name;
}

const Json& MemberOf(const Json& object, const char* field) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(field);
  return found == object.end() ? nothing : *found;
}

std::string TextAt(const Json& object, const char* field) {
  const Json& member = MemberOf(object, field);
  return member.is_string() ? member.get<std::string>() : std::string();
}

Result<ObjectMeta> ReadMeta(const Json& object) {
  const Json& metadata = MemberOf(object, "metadata");
  ObjectMeta meta{{TextAt(metadata, "namespace"), TextAt(metadata, "name")},
                  TextAt(metadata, "resourceVersion")};
  if (meta.key.name.empty()) return InvalidInput("an object without metadata.name");
  if (meta.resource_version.empty()) {
    return InvalidInput(ToString(meta.key) + ": an object without metadata.resourceVersion");
  }
  return meta;
}

}  // namespace evenkeel::kube
