#pragma once

#include <optional>
#include <string>

#include "labeller/board_facts.h"
#include "labeller/rooted_files.h"

namespace evenkeel::labeller {

/// How fast one core was just now.
struct ProbeResult {
  double units_per_second = 0;  ///< median: trial divisions a second of CPU time
  double noise = 0;             ///< (fastest - slowest) / median of the samples
};

/// Runs a fixed piece of the workload primes (TrialDivision, its candidates just below 300,000) on
/// this thread: once to warm up, then five samples of at least 0.1 s. About 0.6 s of CPU time, on
/// the slowest boards 1 s. CPU time is what counts, so a quota does not make a node slower than it
/// is.
[[nodiscard]] ProbeResult ProbeSpeed();

/// Why a probe would be no good now: the machine has just started, or has more to run than cores.
/// Empty if nothing speaks against it.
[[nodiscard]] std::string WhyNotProbe(const RootedFiles& files);

/// Name of the label with the score.
inline const std::string kProbeScore = "hardware.evenkeel.dev/probe-score";

/// The label, in units per second and core, three digits that count. Nothing if the samples are
/// further apart than 20 %: then something else was going on.
[[nodiscard]] std::optional<Found> ScoreOf(const ProbeResult& probe);

}  // namespace evenkeel::labeller
