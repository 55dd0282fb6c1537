#pragma once

#include <string>

#include "core/model/field_reader.h"

namespace evenkeel::model {

/// apiVersion of this project's own kinds.
inline const std::string kApiVersion = "batch.evenkeel.dev/v1alpha1";

/// Reads apiVersion and kind of one of this project's objects, and its metadata: the usual fields
/// of ObjectMeta are accepted, the name is required. A status section is accepted and ignored.
/// Returns the name.
std::string ReadObjectHead(FieldReader& object, const std::string& kind);

}  // namespace evenkeel::model
