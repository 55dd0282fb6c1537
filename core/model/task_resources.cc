#include "core/model/task_resources.h"

#include <algorithm>

namespace evenkeel::model {
namespace {

constexpr std::int64_t kCoreMillicores = 1000;

/// Cores, with a part of one counted as a whole one.
std::int64_t CoresRoundedUp(std::int64_t millicores) {
  return millicores / kCoreMillicores + (millicores % kCoreMillicores > 0 ? 1 : 0);
}

}  // namespace

std::int64_t CountSlots(const TaskResources& need, const TaskRoom& room) {
  std::int64_t slots = need.cpu_millicores ? room.cpu_millicores / *need.cpu_millicores
                                           : CoresRoundedUp(room.cpu_millicores);
  if (need.memory_bytes) slots = std::min(slots, room.memory_bytes / *need.memory_bytes);
  for (const auto& [resource, amount] : need.extended) {
    const auto found = room.extended.find(resource);
    slots = std::min(slots, found == room.extended.end() ? 0 : found->second / amount);
  }
  return std::clamp<std::int64_t>(slots, 0, kMaxSlots);
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
