#include "worker/core_pinning.h"

#include <sched.h>

#include <cstddef>

namespace evenkeel::worker {

bool KeepOnCore(std::uint32_t thread, std::uint32_t threads) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  if (CPU_COUNT(&allowed) != static_cast<int>(threads) || threads < 2) return false;
  std::uint32_t seen = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || seen++ != thread) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    return sched_setaffinity(0, sizeof own, &own) == 0;
  }
  return false;
}

}  // namespace evenkeel::worker
