#include "workloads/registry.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/model/field_reader.h"
#include "workloads/command/command.h"
#include "workloads/matmul/matmul.h"
#include "workloads/parameter_estimation/parameter_estimation.h"
#include "workloads/primes/primes.h"
#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/synthetic/synthetic.h"

namespace evenkeel::workloads {
namespace {

using Made = Result<std::shared_ptr<const Workload>>;

struct Registration {
  std::string_view name;
  std::uint32_t version;
  Made (*make)(const model::FieldReader& parameters, const WorkloadContext& context);
};

/// For a workload that is made from its parameters alone.
template <Made (*kMake)(const model::FieldReader&)>
Made Anywhere(const model::FieldReader& parameters, const WorkloadContext&) {
  return kMake(parameters);
}

/// One line a workload, in alphabetical order.
constexpr std::array kRegistrations{
    Registration{command::kName, command::kVersion, &command::MakeCommand},
    Registration{matmul::kName, matmul::kVersion, &matmul::MakeMatmul},
    Registration{parameter_estimation::kName, parameter_estimation::kVersion,
                 &Anywhere<&parameter_estimation::MakeParameterEstimation>},
    Registration{primes::kName, primes::kVersion, &Anywhere<&primes::MakePrimes>},
    Registration{switch_simulation::kName, switch_simulation::kVersion,
                 &Anywhere<&switch_simulation::MakeSwitchSimulation>},
    Registration{synthetic::kName, synthetic::kVersion, &Anywhere<&synthetic::MakeSynthetic>},
};

std::string KnownNames() {
  std::string names;
  for (const auto& registration : kRegistrations) {
    if (!names.empty()) names += ", ";
    names += registration.name;
  }
  return names;
}

const Registration* Find(std::string_view name) {
  const auto* found = std::find_if(kRegistrations.begin(), kRegistrations.end(),
                                   [&](const Registration& each) { return each.name == name; });
  return found == kRegistrations.end() ? nullptr : found;
}

tl::unexpected<Error> Unknown(const std::string& name) {
  return InvalidInput("spec.workload." + model::ShownKey(name) + ": must be one of " +
                      KnownNames());
}

}  // namespace

Result<std::uint32_t> WorkloadVersion(const std::string& name) {
  const Registration* found = Find(name);
  if (found == nullptr) return Unknown(name);
  return found->version;
}

Result<std::shared_ptr<const Workload>> MakeWorkload(const std::string& name,
                                                     const std::string& parameters_json,
                                                     const WorkloadContext& context) {
  const Registration* found = Find(name);
  if (found == nullptr) return Unknown(name);
  const std::string path = "spec.workload." + name;
  const auto parameters = nlohmann::json::parse(parameters_json, nullptr, false);
  if (parameters.is_discarded()) return InvalidInput(path + ": is not JSON");
  return found->make(model::FieldReader(parameters, path), context);
}

std::vector<std::string> WorkloadNames() {
  std::vector<std::string> names;
  for (const auto& registration : kRegistrations) names.emplace_back(registration.name);
  return names;
}

}  // namespace evenkeel::workloads
