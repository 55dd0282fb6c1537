// Sanchez, Macias and Suarez, "Effective Load Balancing on a LAN-WLAN Cluster": what their figures
// 4 to 7 show, with the scenario files of their nodes and links.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "simulator/scenario_world.h"
#include "tests/simulation/rounds_of_a_run.h"
#include "tests/simulation/scenario_files.h"

namespace evenkeel {
namespace {

RoundsOfARun RoundsOf(const std::string& name, const std::string& variant = "new") {
  const auto scenario = LoadScenario(name);
  simulator::WorldConfig world = simulator::DrawWorld(scenario, scenario.seed);
  for (const auto& each : scenario.variants) {
    if (each.name == variant) world.job.balancing = each.balancing;
  }
  return RunRounds(world);
}

// Figures 5 and 7: the nodes' times differ much in iterations 1 and 2, then little.
TEST(Sanchez, TheSpreadOfTheTimesFallsAndStaysLow) {
  for (const char* name : {"sanchez-codesign", "sanchez-matrix-1000"}) {
    const RoundsOfARun run = RoundsOf(name);
    ASSERT_GE(run.t_exe.size(), 7u) << name;
    std::printf("%s, standard deviation of t_exe / mean, iterations 1 to 7:", name);
    for (std::size_t round = 0; round < 7; ++round) {
      std::printf(" %.3f (%zu)", Spread(run.t_exe[round]), run.t_exe[round].size());
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace evenkeel
