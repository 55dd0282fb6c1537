// Prints the cost of each task of a workload, one per line, in seconds at speed 1 (or in the units
// of a workload that declares no rate). Usage: task_costs WORKLOAD PARAMETERS-AS-JSON
#include <cstdio>

#include "workloads/built_in.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: task_costs WORKLOAD PARAMETERS-AS-JSON\n");
    return 2;
  }
  const auto workload = evenkeel::workloads::BuiltInWorkloads().Make(argv[1], argv[2], {});
  if (!workload) {
    std::fprintf(stderr, "task_costs: %s\n", workload.error().message.c_str());
    return 2;
  }
  const auto costs = (*workload)->TrueCosts();
  const double declared = (*workload)->DeclaredUnitsPerSecond();
  const double unit = declared > 0 ? 1 / declared : 1.0;
  for (evenkeel::model::TaskIndex i = 0; i < costs->TaskCount(); ++i) {
    std::printf("%.9f\n", static_cast<double>(costs->Of({i, i + 1})) * unit);
  }
}
