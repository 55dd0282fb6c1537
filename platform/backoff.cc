#include "platform/backoff.h"

namespace evenkeel::platform {

Duration ApplyJitter(Duration pause, Jitter jitter, double random) {
  return FromSeconds(ToSeconds(pause) * (jitter.least + (jitter.most - jitter.least) * random));
}

Duration ExponentialPause(const BackoffOptions& options, std::int64_t earlier_failures) {
  // In floating point, so that neither the pause nor a factor overflows. Multiplication, unlike
  // std::pow, has the same result everywhere.
  const auto longest = static_cast<double>(options.longest.count());
  auto pause = static_cast<double>(options.shortest.count());
  for (std::int64_t i = 0; i < earlier_failures && pause < longest; ++i) {
    const double next = pause * options.factor;
    if (next <= pause) break;  // a factor of 1
    pause = next;
  }
  return pause < longest ? Duration{static_cast<std::int64_t>(pause)} : options.longest;
}

Duration Backoff::Next(double random) {
  const Duration pause = ExponentialPause(options_, failures_++);
  const bool exact = options_.jitter.least == 1 && options_.jitter.most == 1;
  return exact ? pause : ApplyJitter(pause, options_.jitter, random);
}

}  // namespace evenkeel::platform
