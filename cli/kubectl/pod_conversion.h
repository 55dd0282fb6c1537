#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/kubectl/conversion_remarks.h"
#include "core/base/error.h"

namespace evenkeel::cli {

/// The parts of a WeightedJob that come from the pod template of a Job. Objects are empty if there
/// is nothing to set.
struct ConvertedPod {
  nlohmann::ordered_json command;  ///< spec.workload.command
  nlohmann::ordered_json nodes;    ///< spec.nodes
  nlohmann::ordered_json worker;   ///< spec.worker
  /// activeDeadlineSeconds of a pod, and so of a task.
  std::optional<std::int64_t> timeout_seconds;
};

/// Converts spec.template of a Job with `tasks` tasks. Fields without a counterpart are reported to
/// `remarks`. Errors (kInvalidInput, one line "FIELD: what is wrong"): a template that cannot
/// become a command, such as one with two containers.
[[nodiscard]] Result<ConvertedPod> ConvertPodTemplate(const nlohmann::json& pod_template,
                                                      std::int64_t tasks,
                                                      ConversionRemarks& remarks);

/// Labels or annotations without those that the controller of Jobs and kubectl set, which mean
/// nothing on other objects. Empty if `texts` is no object.
[[nodiscard]] nlohmann::ordered_json WithoutMarksOfJobs(const nlohmann::json& texts);

}  // namespace evenkeel::cli
