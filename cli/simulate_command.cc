#include "cli/simulate_command.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/human_text.h"
#include "cli/input_file.h"
#include "cli/simulate_output.h"
#include "simulator/scenario_parsing.h"
#include "simulator/scenario_run.h"

namespace evenkeel::cli {
namespace {

using simulator::Scenario;
using simulator::ScenarioRun;
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
  const auto add = [&](const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) {
      const bool wanted = name == "all" || name == variant.name;
      const bool there = std::any_of(chosen.begin(), chosen.end(), [&](const Variant& other) {
        return other.name == variant.name;
      });
      if (wanted && !there) chosen.push_back(variant);
      allowed += ", " + variant.name;
    }
  };
  add(simulator::AllVariants(scenario.balancing));
  add(scenario.variants);
  if (chosen.empty()) {
    return InvalidInput("--strategy: must be one of " + allowed + ", is \"" + Printable(name, 64) +
                        "\"");
  }
  scenario.variants = std::move(chosen);
  return {};
}

Result<std::vector<Scenario>> ReadScenarios(const SimulateOptions& options,
                                            const workloads::Registry& registry) {
  std::vector<Scenario> scenarios;
  for (const std::string& file : options.scenario_files) {
    const auto text = ReadInputFile(file);
    if (!text) return tl::unexpected(text.error());
    const auto folder = std::filesystem::path(file).parent_path();
    auto scenario = simulator::ParseScenario(*text, file, folder.empty() ? "." : folder, registry);
    if (!scenario) return tl::unexpected(scenario.error());
    if (auto chosen = ChooseStrategy(options.strategy, *scenario); !chosen) {
      return tl::unexpected(chosen.error());
    }
    if (!options.seeds.empty()) {
      const auto seeds = ParseSeeds(options.seeds);
      if (!seeds) return tl::unexpected(seeds.error());
      scenario->seed = seeds->first;
      scenario->repetitions = static_cast<std::int64_t>(seeds->last - seeds->first) + 1;
    }
    scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

}  // namespace

int RunSimulateCommand(const SimulateOptions& options, const workloads::Registry& registry,
                       std::ostream& out, std::ostream& err) {
  const auto scenarios = ReadScenarios(options, registry);
  if (!scenarios) {
    err << "evenkeel: " << scenarios.error().message << '\n';
    return 2;
  }
  std::vector<ScenarioRun> runs;
  for (const Scenario& scenario : *scenarios) {
    for (std::int64_t n = 0; n < scenario.repetitions; ++n) {
      const std::uint64_t seed = scenario.seed + static_cast<std::uint64_t>(n);
      const simulator::Repetition repetition(scenario, seed);
      for (const Variant& variant : scenario.variants) runs.push_back(repetition.Run(variant));
      if (options.show_progress) {
        err << "\r" << Printable(scenario.name) << ": " << n + 1 << " of " << scenario.repetitions
            << (n + 1 == scenario.repetitions ? "\n" : "") << std::flush;
      }
    }
  }
  options.json ? WriteSimulationJson(runs, out) : WriteSimulationTables(runs, out);
  const bool complete = std::all_of(runs.begin(), runs.end(), [](const ScenarioRun& run) {
    return run.state == model::JobState::kComplete;
  });
  return complete ? 0 : 1;
}

}  // namespace evenkeel::cli
