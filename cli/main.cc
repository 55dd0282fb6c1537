#include "cli/evenkeel_main.h"
#include "workloads/built_in.h"

int main(int argc, char** argv) {
  return evenkeel::cli::EvenkeelMain(argc, argv, evenkeel::workloads::BuiltInWorkloads());
}
