#include "simulator/speed_profile.h"

#include <algorithm>

namespace evenkeel::simulator {

void SpeedProfile::AddStall(Instant from, Instant to) {
  if (from >= to) return;
  double resumed = 0;  // the speed from `to` on
  std::vector<Step> steps;
  for (const Step& step : steps_) {
    if (step.at <= to) resumed = step.speed;
    if (step.at < from) steps.push_back(step);
  }
  steps.push_back({from, 0});
  if (to != kNever) steps.push_back({to, resumed});
  for (const Step& step : steps_) {
    if (step.at > to) steps.push_back(step);
  }
  steps_ = std::move(steps);
}

std::size_t SpeedProfile::StepAt(Instant at) const {
  const auto after =
      std::upper_bound(steps_.begin(), steps_.end(), at,
                       [](Instant when, const Step& step) { return when < step.at; });
  return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
}

double SpeedProfile::MaxSpeed() const {
  double fastest = 0;
  for (const Step& step : steps_) fastest = std::max(fastest, step.speed);
  return fastest;
}

Instant SpeedProfile::DoneAt(Instant start, double units) const {
  Instant at = start;
  for (std::size_t i = StepAt(start); i < steps_.size(); ++i) {
    const Instant until = i + 1 < steps_.size() ? steps_[i + 1].at : kNever;
    if (until <= at) continue;
    const double speed = steps_[i].speed;
    if (until == kNever) return speed > 0 ? at + FromSeconds(units / speed) : kNever;
    const double possible = ToSeconds(until - at) * speed;
    if (possible >= units) return speed > 0 ? at + FromSeconds(units / speed) : at;
    units -= possible;
    at = until;
  }
  return at;
}

double SpeedProfile::Integral(Instant from, Instant to) const {
  double sum = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Instant begin = std::max(steps_[i].at, from);
    const Instant end = std::min(i + 1 < steps_.size() ? steps_[i + 1].at : kNever, to);
    if (begin < end) sum += ToSeconds(end - begin) * steps_[i].speed;
  }
  return sum;
}

}  // namespace evenkeel::simulator
