#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cluster/pod.h"
#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

/// apiVersion, kind and metadata of an object of a job: its name, the usual labels, and the job as
/// owner, so that it goes when the job goes.
[[nodiscard]] nlohmann::json ObjectFrame(const std::string& api_version, const std::string& kind,
                                         const std::string& name, const std::string& component,
                                         const WeightedJob& job);

/// The labels by which the pods of a job are selected.
[[nodiscard]] nlohmann::json PodLabels(const WeightedJob& job, const std::string& component);

/// Adds the labels and annotations of the job's template to those that the operator has set
/// already, which stay as they are.
void AddTemplateMarks(nlohmann::json& metadata, const WeightedJob& job);

/// The common part of the specs of a job's pods: the settings that the restricted pod security
/// standard requires, no service-account token, no environment variables for services, the job's
/// security context, pull secrets and priority. Volumes and containers are empty lists. A lost node
/// is tolerated for `node_loss_seconds`.
[[nodiscard]] nlohmann::json PodSpecBase(const WeightedJob& job, std::int64_t node_loss_seconds);

/// A container of the image with its security context; args and mounts are empty lists.
[[nodiscard]] nlohmann::json ContainerBase(const WeightedJob& job, const std::string& name,
                                           const std::string& image, const std::string& program);

[[nodiscard]] nlohmann::json ResourcesJson(const ResourceRequirements& resources);

/// The user of our own programs, unless the job says otherwise.
inline constexpr std::int64_t kOwnUser = 65532;

/// Adds the environment of the job's tasks to a container that runs them: variables of threads,
/// unless the job sets them itself, then those of its template.
void AddTaskEnvironment(nlohmann::json& container, const WeightedJob& job);

/// Appends a list of the job's template, which is JSON text, to a list.
void Append(nlohmann::json& list, const std::string& text);

/// Adds a volume, unless the pod has one of that name, and its place in the container that the pod
/// got last. `source` is the volume without its name.
void AddVolume(nlohmann::json& pod_spec, const std::string& name, nlohmann::json source,
               const std::string& path, bool read_only);
/// A place, in the container that the pod got last, for a volume that it has already.
void AddMount(nlohmann::json& pod_spec, const std::string& name, const std::string& path,
              bool read_only);

/// The Secret with the TLS files. `items`: which entries appear under which file names; empty: all.
void AddTls(nlohmann::json& pod_spec, const std::string& secret,
            const std::map<std::string, std::string>& items = {});
/// The inputs of the job, if it has any.
void AddInputs(nlohmann::json& pod_spec, const WeightedJob& job);
/// The source of a folder that goes with its pod, of at most `size_limit` (a quantity): a task must
/// not fill the disk of a node through it.
[[nodiscard]] nlohmann::json Folder(const std::string& size_limit);

/// Limits of the folders of a job's pods: /tmp of a container of ours, /tmp of a job's container,
/// and the journal and results of a coordinator without a claim.
inline const std::string kTemporaryLimit = "64Mi";
inline const std::string kTaskTemporaryLimit = "1Gi";
inline const std::string kDataLimit = "2Gi";

/// The folder of the files of tasks, in a container that may see all of it or only the directories
/// of the tasks. It is one volume, so that inputs can be links to files of the cache.
enum class FileAccess { kAll, kTaskDirectories };
void AddTaskFiles(nlohmann::json& pod_spec, const WeightedJob& job, FileAccess access);

/// The claim for the cache of input files of this node, if the job names one.
void AddFileCache(nlohmann::json& pod_spec, const WeightedJob& job, const std::string& node);

/// A writable /tmp of that size, unless the container that the pod got last has one.
void AddTemporary(nlohmann::json& pod_spec, const std::string& name, const std::string& size_limit);

/// Which commands of a job a container is for.
enum class CommandRole { kTasks, kReduce };

/// Adds to a pod the container in which the job's commands run, with the job's own image, and
/// what has to be there for it: an init container with our image that puts the launcher into a
/// volume, for the user's image has nothing of ours, and the folder of the launcher's socket. The
/// container has these resources, the environment, volumes and inputs of the job, and no
/// credentials of ours. If tasks have files, their container has the directories of the tasks
/// instead of the inputs.
///
/// From then on the pod's user is that of the image, or the one that the job names; containers of
/// ours have to say who they are, see RunAsOwnUser().
void AddCommandContainer(nlohmann::json& pod_spec, const WeightedJob& job,
                         const std::string& our_image, const ResourceRequirements& resources,
                         CommandRole role);

/// Lets the container that the pod got last talk to the launcher.
void AddLauncherSocket(nlohmann::json& pod_spec);

/// Where the launcher listens, in all containers of the pod.
[[nodiscard]] std::string LauncherSocket();

/// Makes a container of Evenkeel's image run as its own user when the pod has another one.
void RunAsOwnUser(nlohmann::json& container);

}  // namespace evenkeel::cluster
