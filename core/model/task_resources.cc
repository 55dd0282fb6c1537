#include "core/model/task_resources.h"

#include <algorithm>

namespace evenkeel::model {
namespace {

constexpr std::int64_t kCoreMillicores = 1000;

/// Cores, with a part of one counted as a whole one.
std::int64_t CoresRoundedUp(std::int64_t millicores) {
  return millicores / kCoreMillicores + (millicores % kCoreMillicores > 0 ? 1 : 0);
}

/// A resource, and the number of tasks for which there is enough of it.
struct Supply {
  std::string resource;
  std::int64_t tasks = 0;
};

Supply FindScarcest(const TaskResources& need, const TaskRoom& room) {
  Supply scarcest{"cpu", need.cpu_millicores ? room.cpu_millicores / *need.cpu_millicores
                                             : CoresRoundedUp(room.cpu_millicores)};
  const auto compare = [&scarcest](const std::string& resource, std::int64_t tasks) {
    if (tasks < scarcest.tasks) scarcest = {resource, tasks};
  };
  if (need.memory_bytes) compare("memory", room.memory_bytes / *need.memory_bytes);
  for (const auto& [resource, amount] : need.extended) {
    const auto found = room.extended.find(resource);
    compare(resource, found == room.extended.end() ? 0 : found->second / amount);
  }
  return scarcest;
}

}  // namespace

std::int64_t CountSlots(const TaskResources& need, const TaskRoom& room) {
  return std::clamp<std::int64_t>(FindScarcest(need, room).tasks, 0, kMaxSlots);
}

std::string SlotLimit(const TaskResources& need, const TaskRoom& room) {
  return FindScarcest(need, room).resource;
}

double FractionOfNode(const TaskResources& need, std::int64_t slots, std::int64_t cpu_millicores) {
  if (cpu_millicores <= 0) return 1;
  const double used =
      need.cpu_millicores
          ? static_cast<double>(slots) * static_cast<double>(*need.cpu_millicores) /
                static_cast<double>(cpu_millicores)
          : static_cast<double>(slots) / static_cast<double>(CoresRoundedUp(cpu_millicores));
  return std::min(used, 1.0);
}

}  // namespace evenkeel::model
