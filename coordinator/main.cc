#include "coordinator/coordinator_main.h"
#include "workloads/built_in.h"

int main(int argc, char** argv) {
  return evenkeel::coordinator::CoordinatorMain(argc, argv,
                                                evenkeel::workloads::BuiltInWorkloads());
}
