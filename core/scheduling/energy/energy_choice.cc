#include "core/scheduling/energy/energy_choice.h"

#include <algorithm>
#include <cstdio>

#include "core/base/portable_math.h"
#include "core/scheduling/energy/accounting.h"
#include "core/scheduling/fuzzy/node_facts.h"

namespace evenkeel::scheduling {
namespace {

// Watts of 0 (full power that is all idle) would have no geometric mean.
constexpr double kLeastWatts = 1e-6;

double WattsOf(const EnergyCandidate& candidate, const model::EnergySpec& spec) {
  return std::max(CountedWatts(*candidate.power, spec.idle_power), kLeastWatts);
}

}  // namespace

PowerFacts CollectPower(const model::NodeProfile& node) {
  PowerFacts facts;
  const auto known = CollectFacts(node).facts;
  const auto full = known.find(fact::kPowerWatts);
  if (full == known.end() || !full->second.number) return facts;
  const double watts = *full->second.number;
  const auto idle = known.find(fact::kIdlePowerWatts);
  if (idle != known.end() && idle->second.number && *idle->second.number <= watts) {
    facts.power = {watts, *idle->second.number};
    return facts;
  }
  facts.power = {watts, watts * kUsualIdleShare};
  char text[96];
  std::snprintf(text, sizeof text, "idle-power-watts: %s, took %g of power-watts",
                idle == known.end()   ? "not known"
                : idle->second.number ? "is above power-watts"
                                      : "cannot be read",
                kUsualIdleShare);
  facts.notes.emplace_back(text);
  return facts;
}

model::NodePower OfThreads(const model::NodePower& node, double threads, double cores) {
  const double part = std::min(1.0, threads / cores);
  return {node.idle_watts + (node.full_watts - node.idle_watts) * part, node.idle_watts};
}

std::optional<EnergyQuestion> AskForLeastEnergy(const std::vector<EnergyCandidate>& candidates,
                                                const model::EnergySpec& spec) {
  double logarithms = 0;
  int known = 0;
  for (const auto& candidate : candidates) {
    if (!candidate.power) continue;
    logarithms += PortableLog(WattsOf(candidate, spec) / candidate.ratio);
    ++known;
  }
  if (known == 0) return std::nullopt;
  const double mean = PortableExp(logarithms / known);
  EnergyQuestion question;
  for (const auto& candidate : candidates) {
    const double watts = candidate.power ? WattsOf(candidate, spec) : mean * candidate.ratio;
    question.nodes.push_back({candidate.ratio, watts});
  }
  question.time_factor = std::max(1.0, spec.time_factor * (1 - kTimeSlack));
  question.standing_watts = spec.standing_watts;
  question.tolerance = kEnergyTolerance;
  return question;
}

std::optional<EnergyChoice> ChooseForEnergy(const std::vector<EnergyCandidate>& candidates,
                                            const model::EnergySpec& spec, double rate_of_all) {
  auto question = AskForLeastEnergy(candidates, spec);
  if (!question) return std::nullopt;
  question->rate_of_all = rate_of_all;
  const EnergyAnswer answer = LeastEnergy(*question);
  EnergyChoice choice;
  choice.shares = answer.shares;
  choice.time = answer.seconds / answer.fastest_seconds;
  for (const auto& node : question->nodes) {
    choice.joules_per_unit.push_back(node.watts / node.rate);
  }
  const double best = *std::min_element(choice.joules_per_unit.begin(),  //
                                        choice.joules_per_unit.end());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    choice.joules_per_unit[i] /= best;
    if (choice.shares[i] <= 0) choice.left_out_ratio += candidates[i].ratio;
  }
  return choice;
}

std::string WhyLeftOut(double joules_per_unit, double time_factor) {
  char text[160];
  std::snprintf(text, sizeof text,
                "objective Energy: %.1f times the joules a unit of work of the best node, and the "
                "others keep within timeFactor %g",
                joules_per_unit, time_factor);
  return text;
}

std::string WhyNoEnergy(std::size_t nodes) {
  return "objective Energy needs to know what nodes draw, and none of the " +
         std::to_string(nodes) +
         " that could be used says it: label them with hardware.evenkeel.dev/power-watts or "
         "hardware.evenkeel.dev/model";
}

}  // namespace evenkeel::scheduling
