#include "core/scheduling/finish_level.h"

#include <algorithm>

#include "core/base/check.h"

namespace evenkeel::scheduling {
namespace {

// About 60 years: no level is worth looking for beyond it, and sums stay within 63 bits.
constexpr Duration kFarAway{2'000'000'000'000'000'000};

bool DoneBy(const std::vector<Slot>& slots, std::int64_t tasks, Instant level) {
  std::int64_t done = 0;
  for (const Slot& slot : slots) {
    if (level <= slot.ready) continue;
    done += slot.threads * ((level - slot.ready) / slot.task);
    if (done >= tasks) return true;
  }
  return false;
}

}  // namespace

Instant FinishLevel(const std::vector<Slot>& slots, std::int64_t tasks) {
  EVENKEEL_CHECK(!slots.empty(), "a finish level without workers");
  Instant low = Instant::max();
  Duration step = Duration::max();
  for (const Slot& slot : slots) {
    low = std::min(low, slot.ready);
    step = std::min(step, slot.task);
  }
  const Instant start = low;
  Duration span = step;
  while (span < kFarAway && !DoneBy(slots, tasks, start + span)) {
    low = start + span;
    span *= 2;
  }
  Instant high = start + span;
  const Duration tolerance = std::max(step / 1000, Duration{1});
  while (high - low > tolerance) {
    const Instant middle = low + (high - low) / 2;
    (DoneBy(slots, tasks, middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace evenkeel::scheduling
