#include "worker/worker_main.h"
#include "workloads/built_in.h"

int main(int argc, char** argv) {
  return evenkeel::worker::WorkerMain(argc, argv, evenkeel::workloads::BuiltInWorkloads());
}
