#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "operator/api/timestamp.h"

namespace evenkeel::api {

/// What is needed of metadata.
struct ObjectMeta {
  std::string job_namespace;  ///< metadata.namespace
  std::string name;
  std::string uid;
  std::string resource_version;  ///< opaque
  std::int64_t generation = 0;
  Timestamp created{};
  std::optional<Timestamp> deleted;  ///< deletionTimestamp
  std::map<std::string, std::string> annotations;
};

}  // namespace evenkeel::api
