// Prints what whole jobs in virtual time came to: a digest of everything that happened, to the
// nanosecond. The same on every architecture, or decisions depend on it.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "core/base/digest.h"
#include "simulator/simulation.h"
#include "tests/support/drawn_simulation.h"
#include "tests/support/example_simulations.h"

namespace {

constexpr std::uint64_t kSeeds = 12;

void Show(const std::string& name, evenkeel::simulator::SimulationConfig config) {
  evenkeel::Digest digest;
  config.trace = [&digest](const std::string& line) { digest.Add(line + "\n"); };
  const auto outcome = evenkeel::simulator::Simulation(std::move(config)).Run();
  std::printf("%s %lld ns, %lld messages, %s\n", name.c_str(),
              static_cast<long long>(outcome.makespan.count()),
              static_cast<long long>(outcome.messages_sent), digest.Text().c_str());
}

}  // namespace

int main() {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Show("random " + std::to_string(seed), evenkeel::support::DrawSimulation(seed).config);
  }
  Show("sixteen", evenkeel::support::SixteenWorkers(1, false, false));
  Show("sixteen, costs known", evenkeel::support::SixteenWorkers(2, true, false));
  Show("sixteen, upside down", evenkeel::support::SixteenWorkers(3, false, true));
}
