#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "simulator/scenario_parsing.h"
#include "simulator/scenario_run.h"
#include "workloads/built_in.h"

/// Scenario files of simulator/scenarios in tests, beside what was published.
namespace evenkeel {

[[nodiscard]] inline std::string TextOfScenario(const std::string& name) {
  std::ifstream file(std::filesystem::path(EVENKEEL_SCENARIOS) / (name + ".yaml"));
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

[[nodiscard]] inline simulator::Scenario ParseScenarioText(const std::string& text,
                                                           const std::string& name) {
  auto read =
      simulator::ParseScenario(text, name, EVENKEEL_SCENARIOS, workloads::BuiltInWorkloads());
  EXPECT_TRUE(read) << read.error().message;
  return *read;
}

[[nodiscard]] inline simulator::Scenario LoadScenario(const std::string& name) {
  return ParseScenarioText(TextOfScenario(name), name);
}

/// By name of the variant; of the first repetition.
[[nodiscard]] inline std::map<std::string, simulator::ScenarioRun> RunVariants(
    const simulator::Scenario& scenario) {
  const simulator::Repetition repetition(scenario, scenario.seed);
  std::map<std::string, simulator::ScenarioRun> runs;
  for (const auto& variant : scenario.variants) {
    runs[variant.name] = repetition.Run(variant);
    EXPECT_EQ(runs[variant.name].state, model::JobState::kComplete) << variant.name;
  }
  return runs;
}

}  // namespace evenkeel
