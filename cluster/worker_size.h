#pragma once

#include <cstdint>

#include "cluster/node.h"
#include "cluster/resources.h"
#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

/// How large a worker is on one node.
struct WorkerSize {
  std::int32_t threads = 1;        ///< tasks at a time
  ResourceRequirements resources;  ///< of the container that runs the tasks
  /// Memory that its tasks may use together: their limit, or what the node has for pods.
  std::int64_t task_memory_bytes = 0;
};

/// Tasks at a time of a worker that shares the node with no other pod: as many as fit into what the
/// node has for pods, within the worker's CPU limit. By default a task takes one core, or part of
/// one. 0 if there is too little for one task, by spec.worker.taskResources.
[[nodiscard]] std::int32_t ThreadsOf(const WeightedJob& job, const NodeView& node);

/// The worker's size beside pods that have reserved `used` on the node, which has room for at least
/// one task. With spec.worker.taskResources it runs fewer tasks where `used` leaves too little of
/// something. CPU is shared by weight, so there the number of tasks is rounded: the pod requests
/// the CPU that is left where that is at most half a task short.
[[nodiscard]] WorkerSize SizeOf(const WeightedJob& job, const NodeView& node,
                                const Resources& used);

/// The fraction of the node's speed that a worker with so many threads uses: below 1 only with
/// spec.worker.taskResources.
[[nodiscard]] double FractionOfNode(const WeightedJob& job, const NodeView& node,
                                    std::int32_t threads);

/// Resource requests of the job's smallest worker pod.
[[nodiscard]] Resources WorkerRequests(const WeightedJob& job);
/// The least that must be free on a node for a worker pod: WorkerRequests, but half of the CPU that
/// one task needs.
[[nodiscard]] Resources LeastRoom(const WeightedJob& job);
/// Resource requests of a worker pod whose container for the tasks has these.
[[nodiscard]] Resources PodRequestsOf(const WeightedJob& job, const ResourceRequirements& tasks);

}  // namespace evenkeel::cluster
