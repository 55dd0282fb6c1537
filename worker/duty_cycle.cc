#include "worker/duty_cycle.h"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "core/base/check.h"

namespace evenkeel::worker {
namespace {

// Waiting is paid back with at most so much work at full speed, as a quota would allow.
constexpr Duration kMostCredit = std::chrono::milliseconds(20);

}  // namespace

DutyCycle::DutyCycle(double share, std::uint32_t threads) : share_(share), cores_(share * threads) {
  EVENKEEL_CHECK(share > 0 && share <= 1 && threads > 0, "a share of a core that is none");
}

Duration DutyCycle::Spent(Duration cpu, Duration elsewhere, Duration wall) {
  const double due = ToSeconds(cpu) / cores_ + ToSeconds(elsewhere) / share_;
  owed_ = std::max(owed_ + FromSeconds(due) - wall, -kMostCredit);
  return std::max(owed_, Duration::zero());
}

Duration ProcessCpuTime() {
  timespec used{};
  EVENKEEL_CHECK(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0,
                 "the CPU time of this process cannot be read");
  return std::chrono::seconds(used.tv_sec) + Duration(used.tv_nsec);
}

}  // namespace evenkeel::worker
