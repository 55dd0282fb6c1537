#pragma once

#include <nlohmann/json.hpp>

#include "cli/kubectl/conversion_remarks.h"

namespace evenkeel::cli {

/// Lists for spec.worker.template.
struct ConvertedVolumes {
  nlohmann::ordered_json volumes;
  nlohmann::ordered_json mounts;
};

/// Converts the volumes of a pod that its container mounts, and these mounts. Both arguments are
/// lists of objects.
[[nodiscard]] ConvertedVolumes ConvertVolumes(const nlohmann::json& volumes,
                                              const nlohmann::json& mounts,
                                              ConversionRemarks& remarks);

}  // namespace evenkeel::cli
