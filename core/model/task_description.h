#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model/task_facts.h"
#include "core/model/task_resources.h"

namespace evenkeel::model {

/// The fields of a manifest that describe the tasks of its job.
struct TaskFields {
  const nlohmann::json& command;             ///< spec.workload.command, of any version
  std::map<std::string, std::string> needs;  ///< spec.worker.taskResources: quantities
  std::string profile;                       ///< spec.profile; empty: that of the workload
};

/// Describes costs, ranges, needs and the reduce command, a note each, in this order. Fields that
/// are absent or not valid are left out. All texts are printable and bounded.
[[nodiscard]] TaskDescription DescribeTasks(const TaskFields& fields);

/// The needs as quantities of a manifest: {"cpu", "2"}, {"memory", "1500Mi"}. Exact.
[[nodiscard]] std::map<std::string, std::string> Quantities(const TaskResources& needs);

}  // namespace evenkeel::model
