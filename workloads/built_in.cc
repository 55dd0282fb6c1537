#include "workloads/built_in.h"

#include <array>

#include "workloads/command/command.h"
#include "workloads/matmul/matmul.h"
#include "workloads/parameter_estimation/parameter_estimation.h"
#include "workloads/primes/primes.h"
#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/synthetic/synthetic.h"

namespace evenkeel::workloads {
namespace {

using Made = Result<std::shared_ptr<const Workload>>;

/// For a workload that is made from its parameters alone.
template <Made (*kMake)(const model::FieldReader&)>
Made Anywhere(const model::FieldReader& parameters, const WorkloadContext&) {
  return kMake(parameters);
}

/// One line a workload.
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

}  // namespace

Registry BuiltInWorkloads(const std::vector<Registration>& own) {
  return Registry(own, kRegistrations);
}

}  // namespace evenkeel::workloads
