#include "bench/tournament/players.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "simulator/scenario_drawing.h"
#include "simulator/scenario_parsing.h"
#include "simulator/simulated_strategy.h"
#include "workloads/registry.h"

namespace evenkeel::tournament {
namespace {

constexpr std::size_t kMostSteps = 4'000'000;

}  // namespace

using scheduling::TechniqueName;
using simulator::Variant;

std::vector<Variant> AllPlayers() {
  std::vector<Variant> players;
  for (const Variant& variant : simulator::AllVariants({})) {
    players.push_back(variant);
    const bool hands_out_chunks = variant.technique &&
                                  *variant.technique != TechniqueName::kStaticStealing &&
                                  *variant.technique != TechniqueName::kRandomStealing;
    if (!hands_out_chunks) continue;
    players.push_back(variant);
    players.back().name += "+R";
    players.back().technique_options.reissue = true;
  }
  return players;
}

Result<ScenarioPlayer> ScenarioPlayer::Create(const std::string& yaml,
                                              const std::vector<Variant>& players) {
  auto scenario = simulator::ParseScenario(yaml, "draw", ".", workloads::Registry({}));
  if (!scenario) return tl::unexpected(scenario.error());
  std::map<std::string, Variant> by_name;
  for (const Variant& player : players) by_name.emplace(player.name, player);
  return ScenarioPlayer(std::make_unique<simulator::Scenario>(std::move(*scenario)),
                        std::move(by_name));
}

const simulator::Repetition& ScenarioPlayer::Draw(std::int64_t seed) {
  if (seed != seed_) {
    repetition_ =
        std::make_unique<simulator::Repetition>(*scenario_, static_cast<std::uint64_t>(seed));
    seed_ = seed;
  }
  return *repetition_;
}

std::optional<double> ScenarioPlayer::Oracle(std::int64_t seed) {
  const simulator::SimulationConfig& drawn = Draw(seed).Drawn();
  const auto capacities = simulator::Capacities(drawn);
  std::vector<std::pair<std::size_t, Instant>> threads;  // of which node, and when it is free
  for (std::size_t node = 0; node < drawn.nodes.size(); ++node) {
    threads.insert(threads.end(), drawn.nodes[node].threads, {node, Instant{}});
  }
  if (threads.size() * drawn.true_costs.size() > kMostSteps) return std::nullopt;
  std::vector<double> costs = drawn.true_costs;
  std::sort(costs.begin(), costs.end(), std::greater<>());
  Instant end{};
  for (const double cost : costs) {
    Instant earliest = kNever;
    auto* best = &threads.front();
    for (auto& thread : threads) {
      const Instant done = capacities[thread.first].DoneAt(thread.second, cost);
      if (done >= earliest) continue;
      earliest = done;
      best = &thread;
    }
    best->second = earliest;
    end = std::max(end, earliest);
  }
  return ToSeconds(end - Instant{}) / simulator::LowerBound(drawn);
}

double ScenarioPlayer::Measure(const std::string& player, std::int64_t seed) {
  const auto run = Draw(seed).Run(players_.at(player));
  if (run.state != model::JobState::kComplete) return kNeverComplete;
  return run.makespan_seconds / run.lower_bound_seconds;
}

}  // namespace evenkeel::tournament
