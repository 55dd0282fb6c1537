#include "cli/simulate_plan.h"

#include <charconv>
#include <filesystem>
#include <set>

#include "cli/human_text.h"
#include "cli/replay_nodes.h"
#include "platform/files.h"
#include "simulator/scenario_parsing.h"

namespace evenkeel::cli {
namespace {

using simulator::Scenario;
using simulator::Variant;

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};

bool ReadSeed(std::string_view text, std::uint64_t& seed) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  return !text.empty() && read.ec == std::errc() && read.ptr == end && seed <= INT64_MAX;
}

Result<Seeds> ParseSeeds(const std::string& text) {
  constexpr std::uint64_t kMostSeeds = 100'000;
  Seeds seeds;
  const std::size_t dots = text.find("..");
  const std::string_view whole = text;
  bool good = false;
  if (dots == std::string::npos) {
    good = ReadSeed(whole, seeds.first);
    seeds.last = seeds.first;
  } else {
    good = ReadSeed(whole.substr(0, dots), seeds.first) &&
           ReadSeed(whole.substr(dots + 2), seeds.last);
  }
  if (good && seeds.first <= seeds.last && seeds.last - seeds.first < kMostSeeds) return seeds;
  return InvalidInput(
      "--seed: must be a whole number from 0 to 9223372036854775807, or two as in 1..200, at most "
      "100000 of them, is " +
      Printable(text, 64));
}

Result<void> ChooseStrategy(const std::string& name, Scenario& scenario) {
  if (name.empty()) return {};
  std::vector<Variant> chosen;
  std::string allowed = "all";
  std::set<std::string> seen;
  const auto add = [&](const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) {
      if (!seen.insert(variant.name).second) continue;
      if (name == "all" || name == variant.name) chosen.push_back(variant);
      allowed += ", " + variant.name;
    }
  };
  add(simulator::AllVariants(scenario.defaults));
  add(scenario.variants);
  if (chosen.empty()) {
    return InvalidInput("--strategy: must be one of " + allowed + ", is \"" + Printable(name, 64) +
                        "\"");
  }
  scenario.variants = std::move(chosen);
  return {};
}

Result<void> ChooseSeeds(const std::string& text, Scenario& scenario) {
  if (text.empty()) return {};
  const auto seeds = ParseSeeds(text);
  if (!seeds) return tl::unexpected(seeds.error());
  scenario.seed = seeds->first;
  scenario.repetitions = static_cast<std::int64_t>(seeds->last - seeds->first) + 1;
  return {};
}

Result<Scenario> ReadScenario(const std::string& file, const workloads::Registry& registry) {
  const auto text = platform::ReadInputFile(file);
  if (!text) return tl::unexpected(text.error());
  const auto folder = std::filesystem::path(file).parent_path();
  return simulator::ParseScenario(*text, file, folder.empty() ? "." : folder, registry);
}

Result<void> AddReplay(const SimulateOptions& options, SimulatePlan& plan) {
  auto run = simulator::ReadRecordedRun(options.replay);
  if (!run) return InvalidInput("--replay: " + run.error().message);
  if (auto changed = ChangeNodes(options.nodes, *run); !changed) return changed;
  plan.scenarios.push_back(simulator::ScenarioOf(*run));
  plan.recorded = std::move(*run);
  return {};
}

Result<void> ReadScenarios(const SimulateOptions& options, const workloads::Registry& registry,
                           SimulatePlan& plan) {
  if (!options.replay.empty()) {
    if (options.scenario_files.empty()) return AddReplay(options, plan);
    return InvalidInput("--replay: takes the place of a scenario file, and there is " +
                        Printable(options.scenario_files.front(), 128));
  }
  if (options.scenario_files.empty()) {
    return InvalidInput("scenario is required: a scenario file, or --replay RUN");
  }
  if (!options.nodes.empty()) {
    return InvalidInput("--nodes: is for --replay; a scenario file has nodes of its own");
  }
  for (const std::string& file : options.scenario_files) {
    auto scenario = ReadScenario(file, registry);
    if (!scenario) return tl::unexpected(scenario.error());
    plan.scenarios.push_back(std::move(*scenario));
  }
  return {};
}

}  // namespace

Result<SimulatePlan> PlanSimulation(const SimulateOptions& options,
                                    const workloads::Registry& registry) {
  SimulatePlan plan;
  if (auto read = ReadScenarios(options, registry, plan); !read) {
    return tl::unexpected(read.error());
  }
  for (Scenario& scenario : plan.scenarios) {
    if (auto chosen = ChooseStrategy(options.strategy, scenario); !chosen) {
      return tl::unexpected(chosen.error());
    }
    if (auto chosen = ChooseSeeds(options.seeds, scenario); !chosen) {
      return tl::unexpected(chosen.error());
    }
  }
  return plan;
}

}  // namespace evenkeel::cli
