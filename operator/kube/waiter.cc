#include "operator/kube/waiter.h"

#include <condition_variable>
#include <mutex>

namespace evenkeel::kube {

bool SteadyWaiter::WaitFor(Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace evenkeel::kube
