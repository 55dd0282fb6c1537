#pragma once

#include <string>

#include "core/model/field_reader.h"

namespace evenkeel::model {

/// apiVersion of Evenkeel's kinds.
inline const std::string kApiVersion = "batch.evenkeel.dev/v1alpha1";

/// Checks apiVersion, kind and metadata of an object of an Evenkeel kind: the fields of ObjectMeta
/// are accepted, the name is required. A status section is accepted and ignored.
/// Returns the name.
std::string ReadObjectHead(FieldReader& object, const std::string& kind);

/// Checks a field with the name of another object, if there is one.
void CheckObjectName(FieldReader& object, const std::string& field);

}  // namespace evenkeel::model
