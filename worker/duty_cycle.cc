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

DutyCycle::DutyCycle(double share) : share_(share) {
  EVENKEEL_CHECK(share > 0 && share <= 1, "a share of a core that is none");
}

Duration DutyCycle::Spent(Duration cpu, Duration wall) {
  owed_ = std::max(owed_ + FromSeconds(ToSeconds(cpu) / share_) - wall, -kMostCredit);
  return std::max(owed_, Duration::zero());
}

Duration ThreadCpuTime() {
  timespec used{};
  EVENKEEL_CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0,
                 "this thread's CPU time cannot be read");
  return std::chrono::seconds(used.tv_sec) + Duration(used.tv_nsec);
}

}  // namespace evenkeel::worker
