#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace evenkeel::model {

/// spec.worker.taskResources: what one task needs for itself while it runs.
struct TaskResources {
  std::optional<std::int64_t> cpu_millicores;    ///< > 0
  std::optional<std::int64_t> memory_bytes;      ///< > 0
  std::map<std::string, std::int64_t> extended;  ///< extended resources and huge pages, each > 0

  [[nodiscard]] bool Any() const { return cpu_millicores || memory_bytes || !extended.empty(); }
  friend bool operator==(const TaskResources&, const TaskResources&) = default;
};

/// The room of a node for the tasks of a worker. Negative where more is in use than there is.
struct TaskRoom {
  std::int64_t cpu_millicores = 0;
  std::int64_t memory_bytes = 0;
  std::map<std::string, std::int64_t> extended;  ///< none of a resource that is not listed
};

/// Number of tasks that fit into `room` at a time: the least of what its resources divide into, at
/// most kMaxSlots; 0 if there is not enough for one. A need without CPU counts as one core, and
/// part of a core is enough for a task then.
[[nodiscard]] std::int64_t CountSlots(const TaskResources& need, const TaskRoom& room);
inline constexpr std::int64_t kMaxSlots = 4096;
/// The resource because of which no more tasks fit; of several, the first of cpu, memory, others.
[[nodiscard]] std::string SlotLimit(const TaskResources& need, const TaskRoom& room);

/// The fraction of a node's speed that a worker with `slots` >= 1 tasks at a time uses: what their
/// CPU needs are of `cpu_millicores`, which is what the node has for pods; at most 1.
[[nodiscard]] double FractionOfNode(const TaskResources& need, std::int64_t slots,
                                    std::int64_t cpu_millicores);

}  // namespace evenkeel::model
