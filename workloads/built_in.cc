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

using WorkloadResult = Result<std::shared_ptr<const Workload>>;

/// Adapts a workload that needs no WorkloadContext.
template <WorkloadResult (*kMake)(const model::FieldReader&)>
WorkloadResult WithoutContext(const model::FieldReader& parameters, const WorkloadContext&) {
  return kMake(parameters);
}

constexpr std::array kRegistrations{
    Registration{command::kName, command::kVersion, &command::MakeCommand},
    Registration{matmul::kName, matmul::kVersion, &matmul::MakeMatmul},
    Registration{parameter_estimation::kName, parameter_estimation::kVersion,
                 &WithoutContext<&parameter_estimation::MakeParameterEstimation>},
    Registration{primes::kName, primes::kVersion, &WithoutContext<&primes::MakePrimes>},
    Registration{switch_simulation::kName, switch_simulation::kVersion,
                 &WithoutContext<&switch_simulation::MakeSwitchSimulation>},
    Registration{synthetic::kName, synthetic::kVersion, &WithoutContext<&synthetic::MakeSynthetic>},
};

}  // namespace

Registry BuiltInWorkloads(const std::vector<Registration>& own) {
  return Registry(own, kRegistrations);
}

}  // namespace evenkeel::workloads
