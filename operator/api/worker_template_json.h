#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// Reads spec.worker.template. What could loosen the restricted pod security, or take the place of
/// what is ours in a pod, is refused (kInvalidInput, one line "FIELD: what is wrong"): volumes of
/// the node, volumes by our names, mounts at our places (that of the inputs only if there are any),
/// anything in securityContext but who the process is.
[[nodiscard]] Result<WorkerTemplate> ReadWorkerTemplate(const nlohmann::json& pod_template,
                                                        bool has_inputs);

/// The fields of securityContext that a job may set.
[[nodiscard]] const std::vector<std::string>& SecurityFields();

/// Names of our own volumes begin with this.
inline const std::string kOwnVolumePrefix = "evenkeel-";

/// Where the pods have things.
namespace path {
inline const std::string kSettings = "/etc/evenkeel";  ///< everything of ours that is read
inline const std::string kTls = "/etc/evenkeel/tls";
inline const std::string kPlan = "/etc/evenkeel/plan";
inline const std::string kSnapshot = "/etc/evenkeel/snapshot";
inline const std::string kData = "/var/lib/evenkeel";
inline const std::string kInputs = "/inputs";
inline const std::string kTemporary = "/tmp";
inline const std::string kLauncher = "/evenkeel";  ///< what worker and command share
inline const std::string kLauncherProgram = "/evenkeel/bin";
inline const std::string kLauncherRun = "/evenkeel/run";  ///< the launcher's socket
}  // namespace path

}  // namespace evenkeel::api
