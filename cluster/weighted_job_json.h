#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cluster/weighted_job.h"
#include "core/base/error.h"

namespace evenkeel::cluster {

/// Reads `metadata` of an object.
[[nodiscard]] ObjectMeta ReadObjectMeta(const nlohmann::json& object);

/// Reads spec.worker.template, which model::ReadJob has accepted. Refuses what would replace the
/// operator's parts of a pod (kInvalidInput, one line "FIELD: what is wrong"): volumes by our names
/// and mounts at our places (that of the inputs only if there are any).
[[nodiscard]] Result<WorkerTemplate> ReadWorkerTemplate(const nlohmann::json& pod_template,
                                                        bool has_inputs);

/// Names of our own volumes begin with this.
inline const std::string kOwnVolumePrefix = "evenkeel-";

/// Where the pods have things.
namespace path {
inline const std::string kSettings = "/etc/evenkeel";  ///< everything of ours that is read
inline const std::string kTls = "/etc/evenkeel/tls";
inline const std::string kPlan = "/etc/evenkeel/plan";
inline const std::string kSnapshot = "/etc/evenkeel/snapshot";
inline const std::string kData = "/var/lib/evenkeel";
inline const std::string kEarlier = "/var/lib/evenkeel-earlier";  ///< folder of an earlier job
/// In kData: where the reduce command runs, under the name that the coordinator gives the folder.
inline const std::string kReduceFolder = "reduce";
inline const std::string kReduce = kData + "/" + kReduceFolder;
inline const std::string kLearned = "/var/lib/evenkeel-learned";  ///< costs of earlier jobs
inline const std::string kInputs = "/inputs";
inline const std::string kTemporary = "/tmp";
inline const std::string kLauncher = "/evenkeel";  ///< what worker and command share
inline const std::string kLauncherProgram = "/evenkeel/bin";
inline const std::string kLauncherRun = "/evenkeel/run";  ///< the launcher's socket
/// Files of tasks: the worker has all, the command has kTaskFolder alone, which is not its own.
inline const std::string kFiles = "/evenkeel/files";
inline const std::string kTaskFolderName = "tasks";
inline const std::string kTaskFolder = kFiles + "/" + kTaskFolderName;
inline const std::string kFileCache = kFiles + "/cache";
/// The claim for the cache, at the worker alone, and the folder in it.
inline const std::string kFileCacheClaim = "/evenkeel/file-cache";
inline const std::string kPersistentFileCache = kFileCacheClaim + "/evenkeel-file-cache";
}  // namespace path

/// Reads a WeightedJob of the API server. Never fails: what is wrong with its spec stands in
/// WeightedJob::invalid.
[[nodiscard]] WeightedJob ReadWeightedJob(const nlohmann::json& object);

/// Reads a WeightingPolicy of the API server. Never fails: what is wrong with it stands in
/// PolicyView::invalid.
[[nodiscard]] PolicyView ReadWeightingPolicy(const nlohmann::json& object);

}  // namespace evenkeel::cluster
