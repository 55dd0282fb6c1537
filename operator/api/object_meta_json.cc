#include "operator/api/object_meta_json.h"

#include "operator/api/lenient_json.h"

namespace evenkeel::api {

ObjectMeta ReadObjectMeta(const nlohmann::json& object) {
  const nlohmann::json& metadata = Child(object, "metadata");
  ObjectMeta meta;
  meta.job_namespace = Text(metadata, "namespace");
  meta.name = Text(metadata, "name");
  meta.uid = Text(metadata, "uid");
  meta.resource_version = Text(metadata, "resourceVersion");
  meta.generation = Integer(metadata, "generation");
  meta.created = Time(metadata, "creationTimestamp").value_or(Timestamp{});
  meta.deleted = Time(metadata, "deletionTimestamp");
  meta.annotations = Texts(metadata, "annotations");
  return meta;
}

}  // namespace evenkeel::api
