#include "cluster/worker_size.h"

#include <algorithm>
#include <string>

#include "core/model/quantity.h"
#include "core/model/task_resources.h"

namespace evenkeel::cluster {
namespace {

constexpr std::int64_t kCore = 1000;
/// Memory of what starts the tasks in their container, which they may not be charged for.
constexpr std::int64_t kStarterBytes = std::int64_t{64} << 20;

/// The node's room for tasks of the job if there are no other pods.
model::TaskRoom WholeNode(const WeightedJob& job, const NodeView& node) {
  model::TaskRoom room{node.allocatable.cpu_millicores, node.allocatable.memory_bytes,
                       node.allocatable.extended};
  if (room.cpu_millicores <= 0) room.cpu_millicores = node.profile.cpu_millicores.value_or(kCore);
  const auto limit = job.resources.limits.find("cpu");
  if (limit != job.resources.limits.end()) {
    room.cpu_millicores =
        std::min(room.cpu_millicores, model::ParseQuantity(limit->second, kCore).value_or(kCore));
  }
  return room;
}

/// Requests of the container that passes results on, beside the tasks. Its CPU is part of the needs
/// of the tasks.
Resources BesideTasks(const WeightedJob& job) {
  if (job.task_image.empty()) return {};
  Resources beside = RequestsOf(RelayResources());
  if (job.spec.task_resources.cpu_millicores) beside.cpu_millicores = 0;
  beside.pods = 0;
  return beside;
}

/// The resources of the container for so many tasks, whose pod requests so much CPU.
ResourceRequirements ResourcesFor(const WeightedJob& job, std::int64_t slots,
                                  std::int64_t cpu_millicores) {
  const model::TaskResources& need = job.spec.task_resources;
  ResourceRequirements resources = job.resources;
  if (need.cpu_millicores) {
    const std::int64_t relay =
        job.task_image.empty() ? 0 : RequestsOf(RelayResources()).cpu_millicores;
    resources.requests["cpu"] =
        std::to_string(std::max<std::int64_t>(cpu_millicores - relay, 1)) + "m";
  }
  if (need.memory_bytes) {
    resources.requests["memory"] = std::to_string(slots * *need.memory_bytes);
    resources.limits["memory"] = std::to_string(slots * *need.memory_bytes + kStarterBytes);
  }
  for (const auto& [resource, amount] : need.extended) {
    resources.requests[resource] = std::to_string(slots * amount);
    resources.limits[resource] = resources.requests[resource];
  }
  return resources;
}

}  // namespace

std::int32_t ThreadsOf(const WeightedJob& job, const NodeView& node) {
  return static_cast<std::int32_t>(
      model::CountSlots(job.spec.task_resources, WholeNode(job, node)));
}

WorkerSize SizeOf(const WeightedJob& job, const NodeView& node, const Resources& used) {
  const model::TaskResources& need = job.spec.task_resources;
  WorkerSize size;
  size.threads = std::max(ThreadsOf(job, node), 1);
  size.resources = job.resources;
  if (need.Any()) {
    const Resources left = node.allocatable - used - BesideTasks(job);
    model::TaskRoom room{WholeNode(job, node).cpu_millicores, left.memory_bytes, left.extended};
    if (need.cpu_millicores) {
      room.cpu_millicores =
          std::min(room.cpu_millicores, left.cpu_millicores + *need.cpu_millicores / 2);
    }
    const std::int64_t slots = std::max<std::int64_t>(model::CountSlots(need, room), 1);
    const std::int64_t wanted = slots * need.cpu_millicores.value_or(0);
    size.threads = static_cast<std::int32_t>(slots);
    size.resources =
        ResourcesFor(job, slots, std::min(wanted, std::max<std::int64_t>(left.cpu_millicores, 1)));
  }
  const auto limit = size.resources.limits.find("memory");
  size.task_memory_bytes = limit == size.resources.limits.end()
                               ? node.allocatable.memory_bytes
                               : model::ParseQuantity(limit->second, 1).value_or(0);
  return size;
}

double FractionOfNode(const WeightedJob& job, const NodeView& node, std::int32_t threads) {
  const model::TaskResources& need = job.spec.task_resources;
  if (!need.Any()) return 1;
  return model::FractionOfNode(need, threads, WholeNode(job, node).cpu_millicores);
}

Resources PodRequestsOf(const WeightedJob& job, const ResourceRequirements& tasks) {
  Resources asked = RequestsOf(tasks);
  if (job.task_image.empty()) return asked;
  asked = asked + RequestsOf(RelayResources());
  asked.pods = 1;
  return asked;
}

Resources WorkerRequests(const WeightedJob& job) {
  return PodRequestsOf(job,
                       ResourcesFor(job, 1, job.spec.task_resources.cpu_millicores.value_or(0)));
}

Resources LeastRoom(const WeightedJob& job) {
  const auto& cpu = job.spec.task_resources.cpu_millicores;
  Resources least = WorkerRequests(job);
  if (cpu) least.cpu_millicores -= *cpu / 2;
  return least;
}

}  // namespace evenkeel::cluster
