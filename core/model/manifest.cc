#include "core/model/manifest.h"

#include "core/model/names.h"

namespace evenkeel::model {

std::string ReadObjectHead(FieldReader& object, const std::string& kind) {
  object.RequiredChoice("apiVersion", {kApiVersion});
  object.RequiredChoice("kind", {kind});
  object.Any("status");

  FieldReader metadata = object.RequiredObject("metadata");
  std::string name = metadata.RequiredString("name", 63);
  if (!IsDnsLabel(name))
    metadata.Fail("name", "must be " + kAllowedDnsLabel + ", is " + Shown(name));
  metadata.OptionalString("namespace", 63, "");
  metadata.StringMap("labels", 256, 63);
  metadata.StringMap("annotations", 256, 256 * 1024);
  for (const char* set_by_the_server :
       {"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
        "deletionGracePeriodSeconds", "finalizers", "ownerReferences", "managedFields",
        "generateName", "selfLink"}) {
    metadata.Any(set_by_the_server);
  }
  return name;
}

void CheckObjectName(FieldReader& object, const std::string& field) {
  if (object.Any(field).is_null()) return;
  const std::string name = object.RequiredString(field, 253);
  if (!IsDnsSubdomain(name)) {
    object.Fail(field, "must be " + kAllowedDnsSubdomain + ", is " + Shown(name));
  }
}

}  // namespace evenkeel::model
