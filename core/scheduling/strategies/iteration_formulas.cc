#include "core/scheduling/strategies/iteration_formulas.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel::scheduling {
namespace {

// A clock may not tick within a short task; keeps quotients finite.
constexpr double kClockTickSeconds = 1e-9;

double TimeOf(const IterationTimes& times, UnitTime unit_time) {
  const double seconds = unit_time == UnitTime::kCalculationOnly ? times.t_calc : times.t_exe;
  return std::max(seconds, kClockTickSeconds);
}

}  // namespace

std::vector<double> NextUnits(const std::vector<IterationTimes>& times, UnitTime unit_time) {
  double sum = 0;
  for (const IterationTimes& each : times) sum += TimeOf(each, unit_time);
  const double mean = sum / static_cast<double>(std::max<std::size_t>(times.size(), 1));
  std::vector<double> units;
  for (const IterationTimes& each : times) {
    // t_calc_unit + t_comm_unit is t_exe / n_unit.
    const double seconds_a_unit = TimeOf(each, unit_time) / each.n_unit;
    units.push_back(mean / seconds_a_unit);
  }
  return units;
}

double PerformanceFactor(const IterationTimes& times, UnitTime unit_time) {
  return times.n_unit / TimeOf(times, unit_time);
}

std::vector<std::int64_t> ScaledTo(std::int64_t rest, const std::vector<std::int64_t>& units) {
  // Quotients of whole numbers that are whole must not be rounded up.
  constexpr double kRoundingError = 1e-6;
  const std::int64_t sum = std::accumulate(units.begin(), units.end(), std::int64_t{0});
  std::vector<std::int64_t> scaled;
  std::int64_t so_far = 0;
  std::int64_t given = 0;
  for (const std::int64_t each : units) {
    so_far += each;
    const double exact =
        static_cast<double>(rest) * (static_cast<double>(so_far) / static_cast<double>(sum));
    const auto boundary =
        so_far == sum ? rest : static_cast<std::int64_t>(std::ceil(exact - kRoundingError));
    scaled.push_back(boundary - given);
    given = boundary;
  }
  return scaled;
}

}  // namespace evenkeel::scheduling
