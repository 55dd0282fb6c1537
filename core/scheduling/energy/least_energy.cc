#include "core/scheduling/energy/least_energy.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/base/check.h"

namespace evenkeel::scheduling {
namespace {

// Times and energies that differ by less are the same.
constexpr double kSame = 1e-12;

/// Nodes that cost the same, by number.
struct CostClass {
  std::vector<std::size_t> members;
  double rate = 0;   // of all of them
  double watts = 0;  // likewise
};

std::vector<std::size_t> CheapestFirst(const std::vector<double>& joules_per_unit) {
  std::vector<std::size_t> order(joules_per_unit.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return joules_per_unit[a] < joules_per_unit[b];
  });
  return order;
}

std::vector<CostClass> Classify(const EnergyQuestion& question) {
  std::vector<double> costs;
  for (const auto& node : question.nodes) costs.push_back(node.watts / node.rate);
  std::vector<CostClass> classes;
  double first = 0;
  for (const std::size_t i : CheapestFirst(costs)) {
    const bool joins = !classes.empty() && costs[i] <= first * (1 + question.tolerance + kSame);
    if (!joins) {
      classes.emplace_back();
      first = costs[i];
    }
    classes.back().members.push_back(i);
    classes.back().rate += question.nodes[i].rate;
    classes.back().watts += question.nodes[i].watts;
  }
  return classes;
}

/// Of one unit of work that is done at `seconds`, the cheapest first.
double JoulesAt(const std::vector<CostClass>& classes, double standing_watts, double seconds) {
  double left = 1;
  double joules = standing_watts * seconds;
  for (const CostClass& one : classes) {
    const double done = std::min(left, one.rate * seconds);
    joules += done / one.rate * one.watts;
    left -= done;
    if (left <= 0) break;
  }
  return joules;
}

/// The best time between `least` and `most`. Where all classes up to one are full the sums of their
/// rates and watts say it all, so that each candidate takes but a step.
double BestSeconds(const std::vector<CostClass>& classes, double standing_watts, double least,
                   double most) {
  double best = most;
  double best_joules = JoulesAt(classes, standing_watts, most);
  double rate = 0;
  double watts = standing_watts;
  for (const CostClass& one : classes) {
    rate += one.rate;
    watts += one.watts;
    const double seconds = std::max(1 / rate, least);
    if (seconds > most) continue;
    const double joules = watts * seconds;
    if (joules <= best_joules * (1 + kSame)) {
      best = seconds;
      best_joules = std::min(joules, best_joules);
    }
  }
  return best;
}

}  // namespace

EnergyAnswer LeastEnergy(const EnergyQuestion& question) {
  EVENKEEL_CHECK(!question.nodes.empty() && question.time_factor >= 1, "a question without nodes");
  const auto classes = Classify(question);
  double rate = 0;
  for (const CostClass& one : classes) rate += one.rate;
  const double least = 1 / rate;
  EnergyAnswer answer;
  answer.fastest_seconds = question.rate_of_all > 0 ? 1 / question.rate_of_all : least;
  const double most = std::max(least, question.time_factor * answer.fastest_seconds);
  answer.seconds = BestSeconds(classes, question.standing_watts, least, most);
  answer.joules = JoulesAt(classes, question.standing_watts, answer.seconds);
  answer.shares.resize(question.nodes.size());
  double left = 1;
  for (const CostClass& one : classes) {
    const double done = std::min(left, one.rate * answer.seconds * (1 + kSame));
    for (const std::size_t i : one.members) {
      answer.shares[i] = done * question.nodes[i].rate / one.rate;
    }
    left -= done;
    if (left <= kSame) break;
  }
  return answer;
}

std::vector<double> FillCheapest(const std::vector<double>& joules_per_unit,
                                 const std::vector<double>& room, const std::vector<double>& rates,
                                 double work) {
  if (work <= 0) return rates;
  std::vector<double> taken(rates.size());
  for (const std::size_t i : CheapestFirst(joules_per_unit)) {
    taken[i] = std::clamp(work, 0.0, room[i]);
    work -= taken[i];
  }
  const double rate = std::accumulate(rates.begin(), rates.end(), 0.0);
  if (work <= 0 || rate <= 0) return taken;
  for (std::size_t i = 0; i < taken.size(); ++i) taken[i] += work * rates[i] / rate;
  return taken;
}

}  // namespace evenkeel::scheduling
