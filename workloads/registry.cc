#include "workloads/registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/check.h"
#include "core/model/names.h"

namespace evenkeel::workloads {
namespace {

bool IsCustom(std::string_view name) { return name.starts_with(model::kCustomPrefix); }

}  // namespace

Registry::Registry(const std::vector<Registration>& own, std::span<const Registration> built_in) {
  for (const Registration& each : built_in) Add("", each);
  for (const Registration& each : own) Add(std::string(model::kCustomPrefix), each);
}

void Registry::Add(const std::string& prefix, const Registration& registration) {
  const std::string name(registration.name);
  EVENKEEL_CHECK(model::IsWorkloadName(name), "a workload is named by letters and digits");
  EVENKEEL_CHECK(registration.make != nullptr, "a registered workload can be made");
  const bool added = by_name_.emplace(prefix + name, registration).second;
  EVENKEEL_CHECK(added, "workloads have different names");
}

tl::unexpected<Error> Registry::Unknown(const std::string& name) const {
  const std::string path = "spec.workload." + model::ShownKey(name);
  std::vector<std::string> allowed;
  for (const auto& [known, registration] : by_name_) {
    if (IsCustom(known) && IsCustom(name))
      allowed.push_back(known.substr(model::kCustomPrefix.size()));
    if (!IsCustom(known) && !IsCustom(name)) allowed.push_back(known);
  }
  if (!IsCustom(name)) {
    const std::string custom(model::kCustomWorkload);
    allowed.insert(std::upper_bound(allowed.begin(), allowed.end(), custom), custom);
  } else if (allowed.empty()) {
    return InvalidInput(path + ": there is no such workload, this program has built-in ones only");
  }
  return InvalidInput(path + ": must be one of " + model::Joined(allowed));
}

Result<std::uint32_t> Registry::VersionOf(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return Unknown(name);
  return found->second.version;
}

Result<std::shared_ptr<const Workload>> Registry::Make(const std::string& name,
                                                       const std::string& parameters_json,
                                                       const WorkloadContext& context) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return Unknown(name);
  const std::string path = "spec.workload." + name;
  const auto parameters = nlohmann::json::parse(parameters_json, nullptr, false);
  if (parameters.is_discarded()) return InvalidInput(path + ": is not JSON");
  return found->second.make(model::FieldReader(parameters, path), context);
}

std::vector<std::string> Registry::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, registration] : by_name_) names.push_back(name);
  return names;
}

}  // namespace evenkeel::workloads
