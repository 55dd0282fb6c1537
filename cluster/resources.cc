#include "cluster/resources.h"

#include <algorithm>
#include <functional>

#include "core/model/names.h"
#include "core/model/quantity.h"

namespace evenkeel::cluster {
namespace {

constexpr double kMilli = 1000;

std::int64_t QuantityOf(const std::map<std::string, std::string>& quantities,
                        const std::string& resource, double scale) {
  const auto found = quantities.find(resource);
  if (found == quantities.end()) return 0;
  return model::ParseQuantity(found->second, scale).value_or(0);
}

void RequestByDefault(ResourceRequirements& container, const std::string& resource,
                      const std::string& usual) {
  if (container.requests.contains(resource)) return;
  const auto limit = container.limits.find(resource);
  const bool limited =
      limit != container.limits.end() && model::ParseQuantity(limit->second, kMilli).value_or(0) <
                                             model::ParseQuantity(usual, kMilli).value_or(0);
  container.requests[resource] = limited ? limit->second : usual;
}

}  // namespace

namespace {

using Extended = std::map<std::string, std::int64_t>;

std::int64_t AmountOf(const Extended& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? 0 : found->second;
}

/// `combine` of the amounts of each resource, without those that become 0.
template <typename Combine>
Extended Combined(Extended a, const Extended& b, Combine combine) {
  for (const auto& [resource, amount] : b) a.try_emplace(resource, 0);
  for (auto& [resource, amount] : a) amount = combine(amount, AmountOf(b, resource));
  std::erase_if(a, [](const auto& entry) { return entry.second == 0; });
  return a;
}

}  // namespace

Resources operator+(const Resources& a, const Resources& b) {
  return {a.cpu_millicores + b.cpu_millicores, a.memory_bytes + b.memory_bytes, a.pods + b.pods,
          Combined(a.extended, b.extended, std::plus<>())};
}

Resources operator-(const Resources& a, const Resources& b) {
  return {a.cpu_millicores - b.cpu_millicores, a.memory_bytes - b.memory_bytes, a.pods - b.pods,
          Combined(a.extended, b.extended, std::minus<>())};
}

bool Fits(const Resources& asked, const Resources& room) {
  const auto fits = [](std::int64_t wanted, std::int64_t left) {
    return wanted <= 0 || wanted <= left;
  };
  return fits(asked.cpu_millicores, room.cpu_millicores) &&
         fits(asked.memory_bytes, room.memory_bytes) && fits(asked.pods, room.pods) &&
         std::all_of(asked.extended.begin(), asked.extended.end(), [&](const auto& entry) {
           return fits(entry.second, AmountOf(room.extended, entry.first));
         });
}

namespace {

const std::string kCpu = "cpu";
const std::string kMemory = "memory";
const std::string kPods = "pods";

}  // namespace

std::int64_t AmountOf(const Resources& resources, const std::string& resource) {
  if (resource == kCpu) return resources.cpu_millicores;
  if (resource == kMemory) return resources.memory_bytes;
  if (resource == kPods) return resources.pods;
  return AmountOf(resources.extended, resource);
}

std::vector<std::string> FindShortages(const Resources& asked, const Resources& room) {
  std::vector<std::string> names{kCpu, kMemory, kPods};
  for (const auto& [resource, amount] : asked.extended) names.push_back(resource);
  std::erase_if(names, [&](const std::string& resource) {
    const std::int64_t wanted = AmountOf(asked, resource);
    return wanted <= 0 || wanted <= AmountOf(room, resource);
  });
  return names;
}

std::string QuantityText(const std::string& resource, std::int64_t amount) {
  constexpr std::int64_t kMebibyte = 1LL << 20U;
  if (resource == kCpu) return std::to_string(amount) + "m";
  const bool in_mebibytes = resource == kMemory && amount >= kMebibyte;
  return in_mebibytes ? std::to_string(amount / kMebibyte) + "Mi" : std::to_string(amount);
}

Resources RequestsOf(const ResourceRequirements& container) {
  return {QuantityOf(container.requests, "cpu", kMilli),
          QuantityOf(container.requests, "memory", 1), 1, ExtendedResources(container.requests)};
}

Extended ExtendedResources(const std::map<std::string, std::string>& quantities) {
  Extended amounts;
  for (const auto& [resource, quantity] : quantities) {
    if (!model::IsExtendedResource(resource)) continue;
    const std::int64_t amount = model::ParseQuantity(quantity, 1).value_or(0);
    if (amount != 0) amounts[resource] = amount;
  }
  return amounts;
}

namespace {

Resources Larger(const Resources& a, const Resources& b) {
  return {std::max(a.cpu_millicores, b.cpu_millicores), std::max(a.memory_bytes, b.memory_bytes),
          std::max(a.pods, b.pods),
          Combined(a.extended, b.extended,
                   [](std::int64_t x, std::int64_t y) { return std::max(x, y); })};
}

}  // namespace

Resources PodRequests(const PodRequestParts& parts) {
  Resources running;
  for (const Resources& container : parts.containers) running = running + container;
  Resources sidecars;
  Resources starting;
  for (const auto& init : parts.init_containers) {
    if (init.is_sidecar) {
      running = running + init.requests;
      sidecars = sidecars + init.requests;
      starting = Larger(starting, sidecars);
    } else {
      starting = Larger(starting, sidecars + init.requests);
    }
  }
  Resources most = Larger(running, starting);
  if (parts.pod_cpu_millicores) most.cpu_millicores = *parts.pod_cpu_millicores;
  if (parts.pod_memory_bytes) most.memory_bytes = *parts.pod_memory_bytes;
  most = most + parts.overhead;
  most.pods = 1;
  return most;
}

ResourceRequirements WithWorkerDefaults(ResourceRequirements asked) {
  RequestByDefault(asked, "cpu", "250m");
  RequestByDefault(asked, "memory", "64Mi");
  for (const auto& [resource, limit] : asked.limits) {
    if (model::IsExtendedResource(resource)) asked.requests.try_emplace(resource, limit);
  }
  return asked;
}

ResourceRequirements RelayResources() {
  return {{{"cpu", "20m"}, {"memory", "32Mi"}}, {{"memory", "512Mi"}}};
}

ResourceRequirements CoordinatorResources() {
  return {{{"cpu", "50m"}, {"memory", "64Mi"}}, {{"memory", "512Mi"}}};
}

}  // namespace evenkeel::cluster
