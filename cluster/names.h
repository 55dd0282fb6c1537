#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Names of a job's objects. All code that creates, finds or mounts one takes its name from
/// here.
namespace evenkeel::cluster {

inline const std::string kGroup = "batch.evenkeel.dev";
inline const std::string kJobKind = "WeightedJob";
inline const std::string kPolicyKind = "WeightingPolicy";

namespace label {
inline const std::string kName = "app.kubernetes.io/name";
inline const std::string kManagedBy = "app.kubernetes.io/managed-by";
inline const std::string kComponent = "app.kubernetes.io/component";
inline const std::string kJob = "evenkeel.dev/weighted-job";
inline const std::string kWeight = "evenkeel.dev/weight";
inline const std::string kAttempt = "evenkeel.dev/attempt";               ///< of coordinators
inline const std::string kNamespaceName = "kubernetes.io/metadata.name";  ///< of namespaces
inline const std::string kArchitecture = "kubernetes.io/arch";            ///< of nodes
inline const std::string kSystem = "kubernetes.io/os";                    ///< of nodes
}  // namespace label

inline const std::string kAppName = "evenkeel";
inline const std::string kManager = "evenkeel-operator";

namespace component {
inline const std::string kCoordinator = "coordinator";
inline const std::string kWorker = "worker";
inline const std::string kJob = "job";
inline const std::string kOperator = "operator";
}  // namespace component

namespace annotation {
inline const std::string kAttempt = "evenkeel.dev/attempt";
inline const std::string kRatio = "evenkeel.dev/ratio";
inline const std::string kNode = "evenkeel.dev/node";
inline const std::string kImage = "evenkeel.dev/image";
/// The container whose logs kubectl shows.
inline const std::string kDefaultContainer = "kubectl.kubernetes.io/default-container";
/// On a coordinator's pod: a change makes the kubelet refresh its volumes.
inline const std::string kRefreshed = "evenkeel.dev/refreshed";
/// On the plan: see IdentityKeys.
inline const std::string kIdentity = "evenkeel.dev/identity";
inline const std::string kIdentityAlsoTrusted = "evenkeel.dev/identity-also-trusted";
inline const std::string kIdentitySince = "evenkeel.dev/identity-since";
/// On the plan: the number of Secrets with certificates of workers.
inline const std::string kWorkerSecrets = "evenkeel.dev/worker-secrets";
/// Of every object the operator makes for a job: what it says, see kube::DesiredObject.
inline const std::string kDigest = "evenkeel.dev/digest";
/// On the plan: the highest attempt whose pod has been seen.
inline const std::string kAttemptSeen = "evenkeel.dev/attempt-seen";
/// On the plan: the attempt that began the run, or resumed it after a suspension.
inline const std::string kFirstAttempt = "evenkeel.dev/first-attempt";
}  // namespace annotation

/// The only containers of the pods.
inline const std::string kCoordinatorContainer = "coordinator";
inline const std::string kWorkerContainer = "worker";
/// Beside a worker whose workload names an image: there the tasks are run, by the launcher that the
/// init container has put in place.
inline const std::string kCommandContainer = "command";
inline const std::string kLauncherContainer = "launcher";

namespace port {
inline constexpr int kWorkers = 7400;  ///< gRPC
inline constexpr int kHealth = 7401;   ///< plain HTTP
inline constexpr int kControl = 7402;  ///< HTTPS, for the operator
inline constexpr int kBlocks = 7404;   ///< gRPC, of workers for other workers
inline constexpr int kProbes = 7405;   ///< plain HTTP, for the kubelet alone
inline constexpr int kPages = 7403;    ///< plain HTTP, on the pod's localhost
}  // namespace port

[[nodiscard]] std::string PlanName(std::string_view job);
[[nodiscard]] std::string CoordinatorSecretName(std::string_view job);
/// The Secret with the certificate of the worker in this pod, of `secrets` (> 0) Secrets in all:
/// NAME-worker-tls, NAME-worker-tls-2, ...
[[nodiscard]] std::string WorkerSecretName(std::string_view job, std::string_view pod,
                                           std::int32_t secrets);
/// The names of all these Secrets, in order.
[[nodiscard]] std::vector<std::string> WorkerSecretNames(std::string_view job,
                                                         std::int32_t secrets);
/// Name of the Service, of a NetworkPolicy, and in the coordinator's certificate.
[[nodiscard]] std::string CoordinatorName(std::string_view job);
/// Name of a NetworkPolicy, and in the workers' certificate.
[[nodiscard]] std::string WorkerName(std::string_view job);
[[nodiscard]] std::string SnapshotName(std::string_view job);
[[nodiscard]] std::string CoordinatorPodName(std::string_view job, std::int64_t attempt);
/// "JOB-worker-NODE-HASH": as much of the node's first label as a host's name has room for, and a
/// hash of all of it.
[[nodiscard]] std::string WorkerPodName(std::string_view job, std::string_view node);
/// Address of the workers' gRPC endpoint, inside the cluster.
[[nodiscard]] std::string CoordinatorAddress(std::string_view job, std::string_view namespace_name);
/// Folder of a job in the claim of its results. Claims are shared between jobs, and a job that was
/// deleted and made anew must not find the old one's journal: hence the uid.
[[nodiscard]] std::string ClaimFolder(std::string_view job, std::string_view uid);

/// FNV-1a, 32 bits (Fowler, Noll, Vo; builder-eastlake-fnv, section 2).
[[nodiscard]] std::uint32_t Fnv1a(std::string_view text);

}  // namespace evenkeel::cluster
