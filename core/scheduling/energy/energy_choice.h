#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/job_spec.h"
#include "core/model/node_power.h"
#include "core/model/node_profile.h"
#include "core/scheduling/energy/least_energy.h"

namespace evenkeel::scheduling {

/// Default idle power of a board, as a share of its full power. The
/// boards that were measured in both states are between 0.33 and 0.52 (idle and four busy cores by
/// Pidramble: Pi 4B 2.7 and 6.4 W, 3B+ 1.9 and 5.1 W, 3B 1.4 and 3.7 W, 2B 1.1 and 2.1 W, Zero 0.4
/// and 1.2 W).
inline constexpr double kUsualIdleShare = 0.4;

struct PowerFacts {
  std::optional<model::NodePower> power;  ///< nothing if unknown
  std::vector<std::string> notes;         ///< what was assumed, for people
};

/// Full power: label power-watts, else the catalogue by board or core. Idle power: label
/// idle-power-watts; if it is missing, cannot be read or is above full power: kUsualIdleShare of
/// it. A power-watts label that cannot be read is not glossed over: nothing is known then.
[[nodiscard]] PowerFacts CollectPower(const model::NodeProfile& node);

/// The power of a worker with `threads` on a node with `cores` (both > 0): with all threads busy
/// the node draws threads / cores of the range from idle to full power.
[[nodiscard]] model::NodePower OfThreads(const model::NodePower& node, double threads,
                                         double cores);

/// Weights and watts are no better than this: what differs by less is taken for the same, or a job
/// would be stretched to its limit for a hundredth of its energy.
inline constexpr double kEnergyTolerance = 0.1;

/// Part of the allowed time that plans leave free, for single tasks at the end and for rates that
/// vary.
inline constexpr double kTimeSlack = 0.02;

/// A node that could take part in a job with Objective::kEnergy.
struct EnergyCandidate {
  double ratio = 1;  ///< its weight, > 0
  std::optional<model::NodePower> power;
};

/// The candidates as a question, with the factor (less kTimeSlack), standing power and tolerance
/// of the job. A node
/// whose power is not known is taken to need the geometric mean of the others' joules per unit, so
/// that hiding a label makes it neither the first nor the last choice. Nothing if the power of none
/// is known, or if there are none.
[[nodiscard]] std::optional<EnergyQuestion> AskForLeastEnergy(
    const std::vector<EnergyCandidate>& candidates, const model::EnergySpec& spec);

/// Which of them get work.
struct EnergyChoice {
  std::vector<double> shares;           ///< one a candidate; 0: it is left out
  std::vector<double> joules_per_unit;  ///< relative to the best of them, >= 1
  double left_out_ratio = 0;            ///< of those left out, together
  double time = 1;                      ///< predicted, relative to all of them working
};

/// Nothing if the power of none is known. `rate_of_all`: sum of the ratios of all nodes that could
/// have taken part when the job began; 0: of the candidates.
[[nodiscard]] std::optional<EnergyChoice> ChooseForEnergy(
    const std::vector<EnergyCandidate>& candidates, const model::EnergySpec& spec,
    double rate_of_all = 0);

/// Why a node got no work, in a few words for people: "objective Energy: 2.4 times the joules a
/// unit of work of the best node, and the others keep within timeFactor 1.5".
[[nodiscard]] std::string WhyLeftOut(double joules_per_unit, double time_factor);

/// Why objective Energy cannot be honoured when the power of no node is known.
[[nodiscard]] std::string WhyNoEnergy(std::size_t nodes);

}  // namespace evenkeel::scheduling
