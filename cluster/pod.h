#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/resources.h"
#include "platform/time.h"

namespace evenkeel::cluster {

enum class PodRole { kCoordinator, kWorker, kOther };
enum class PodPhase { kPending, kRunning, kSucceeded, kFailed, kUnknown };

/// Why the scheduler has no node for a pod: condition PodScheduled is False.
struct SchedulingTrouble {
  std::string reason;   ///< Unschedulable, SchedulerError, ...
  std::string message;  ///< the scheduler's words
  platform::Timestamp since{};
};

/// How a container ended last.
struct Termination {
  std::int32_t exit_code = 0;
  std::string reason;   ///< Error, OOMKilled, Completed, ...
  std::string message;  ///< what it left in its termination log
  std::optional<platform::Timestamp> finished{};
};

/// One run of a container is over.
struct ContainerEnd {
  platform::Timestamp at{};    ///< by the clock of the node
  bool out_of_memory = false;  ///< the kernel killed it for lack of memory
  friend bool operator==(const ContainerEnd&, const ContainerEnd&) = default;
};

/// A Pod as far as it matters here; of its containers the one that is worst off.
struct PodView {
  std::string name;
  std::string uid;
  PodRole role = PodRole::kOther;
  std::string job;           ///< label evenkeel.dev/weighted-job; anybody may set it
  std::string owner;         ///< uid of the controlling owner: only the job's own are its pods
  std::string node;          ///< spec.nodeName; empty until scheduled
  std::string target_node;   ///< of a worker: the node it is made for
  std::int64_t attempt = 1;  ///< annotation evenkeel.dev/attempt
  double ratio = 1;          ///< annotation evenkeel.dev/ratio
  std::int64_t weight = 1;   ///< label evenkeel.dev/weight
  std::string container;     ///< the name of that container
  bool is_injected = false;  ///< the container was added by others, such as a service mesh
  std::string image;         ///< of the container
  std::string ip;            ///< empty until there is one
  Resources requests;        ///< what the scheduler reserves for it
  PodPhase phase = PodPhase::kPending;
  std::string reason;  ///< status.reason, e.g. Evicted
  bool ready = false;
  std::optional<platform::Timestamp> ready_since;  ///< nothing if it is not, or does not say
  platform::Timestamp created{};
  std::optional<platform::Timestamp>
      deleted;  ///< deletionTimestamp: when it should be gone at the latest
  std::optional<SchedulingTrouble> unscheduled;
  std::string waiting_reason;  ///< of the container, e.g. ImagePullBackOff; empty if it runs
  std::string waiting_message;
  /// The last one of our own container that is worst off, in this run or the one before.
  std::optional<Termination> termination;
  /// Ends of the command container, of this run and of the one before; at most two.
  std::vector<ContainerEnd> command_ends;
  std::int32_t restarts = 0;
  bool has_run = false;  ///< one of our own containers has been started at least once
  /// Since when the init containers are done; nothing if they are not, or there are none.
  std::optional<platform::Timestamp> initialized;
  /// One of our own containers has ended well, so that it is not started again, but one beside it
  /// runs: the pod will do nothing more.
  bool lingers = false;

  [[nodiscard]] bool Ended() const {
    return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed || lingers;
  }
};

/// A worker pod to be made, beside what the job itself says.
struct WorkerPod {
  std::string node;
  double ratio = 1;
  std::int64_t weight = 1;
  std::int32_t threads = 1;
  std::int64_t attempt = 1;
  std::string image;
  std::int32_t secrets = 1;  ///< see JobPlan::worker_secrets
  /// Resources of the container that runs the tasks; nothing: those of the job.
  std::optional<ResourceRequirements> resources{};
  std::int64_t task_memory_bytes = 0;  ///< as WorkerSize; 0: unknown

  friend bool operator==(const WorkerPod&, const WorkerPod&) = default;
};

/// A coordinator pod to be made, beside what the job itself says.
struct CoordinatorPod {
  std::int64_t attempt = 1;
  std::string image;
  bool with_snapshot = false;              ///< goes on from the ConfigMap NAME-snapshot
  std::vector<std::string> avoided_nodes;  ///< rather not on these: the slowest boards
  std::vector<std::string> architectures;  ///< the image runs on

  friend bool operator==(const CoordinatorPod&, const CoordinatorPod&) = default;
};

/// How long pods tolerate a node that is not ready or cannot be reached, before they are evicted.
/// A worker's work is taken over by others at once. A coordinator without a claim would lose all
/// that was done, so it waits longer for its node to come back.
inline constexpr std::int64_t kWorkerNodeLossSeconds = 30;
inline constexpr std::int64_t kCoordinatorNodeLossSeconds = 30;
inline constexpr std::int64_t kUnclaimedNodeLossSeconds = 120;

}  // namespace evenkeel::cluster
