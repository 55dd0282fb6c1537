// evenkeel, evenkeel-coordinator and evenkeel-worker as one file with three names. Most of each is
// what they share, OpenBLAS above all: so an image holds it once, and a board loads it once.
#include <cstdio>
#include <string_view>

#include "cli/evenkeel_main.h"
#include "coordinator/coordinator_main.h"
#include "worker/worker_main.h"
#include "workloads/built_in.h"

namespace {

struct Program {
  std::string_view name;
  int (*main)(int argc, char** argv, const evenkeel::workloads::Registry& registry);
};

constexpr Program kPrograms[] = {
    {"evenkeel", evenkeel::cli::EvenkeelMain},
    {"evenkeel-coordinator", evenkeel::coordinator::CoordinatorMain},
    {"evenkeel-worker", evenkeel::worker::WorkerMain},
};

}  // namespace

int main(int argc, char** argv) {
  std::string_view name = argc > 0 ? argv[0] : "";
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  for (const Program& program : kPrograms) {
    if (program.name == name)
      return program.main(argc, argv, evenkeel::workloads::BuiltInWorkloads());
  }
  std::fprintf(stderr, "%.*s: started under a name that is none of its programs'\n",
               static_cast<int>(name.size()), name.data());
  return 2;
}
