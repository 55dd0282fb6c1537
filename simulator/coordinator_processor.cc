#include "simulator/coordinator_processor.h"

#include <algorithm>

namespace evenkeel::simulator {

Instant CoordinatorProcessor::Process(const Payload& payload, double seconds_a_byte, Instant from) {
  double seconds = model_.seconds_a_message + payload.bytes * seconds_a_byte +
                   static_cast<double>(payload.tasks) * model_.seconds_a_task;
  bytes_ += payload.bytes;
  if (seconds <= 0) return from;
  if (model_.exponential) seconds = rng_.Exponential(seconds);
  seconds_ += seconds;
  return busy_until_ = std::max(from, busy_until_) + FromSeconds(seconds);
}

}  // namespace evenkeel::simulator
