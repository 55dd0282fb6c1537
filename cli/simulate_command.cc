#include "cli/simulate_command.h"

#include <algorithm>
#include <optional>

#include "cli/human_text.h"
#include "cli/simulate_output.h"
#include "cli/simulate_page.h"
#include "cli/simulate_plan.h"
#include "platform/files.h"
#include "simulator/scenario_run.h"

namespace evenkeel::cli {
namespace {

using simulator::RecordedRun;
using simulator::Scenario;
using simulator::ScenarioRun;

// The first seed is the one whose lanes a page shows.
void RunSeed(const Scenario& scenario, std::int64_t number, const RecordedRun* recorded,
             SimulatePage* page, std::vector<ScenarioRun>& runs) {
  const std::uint64_t seed = scenario.seed + static_cast<std::uint64_t>(number);
  const simulator::Repetition repetition(scenario, seed);
  const bool drawn = page != nullptr && number == 0;
  if (drawn) page->Begin(scenario, repetition.Drawn(), recorded);
  for (const auto& variant : scenario.variants) {
    runs.push_back(repetition.Run(variant, drawn ? page->NextLanes() : simulator::Recorder{}));
    if (drawn) page->Ended(runs.back());
  }
}

void TellProgress(const Scenario& scenario, std::int64_t done, std::ostream& err) {
  err << "\r" << Printable(scenario.name) << ": " << done << " of " << scenario.repetitions
      << (done == scenario.repetitions ? "\n" : "") << std::flush;
}

int Refuse(const Error& error, std::ostream& err) {
  err << "evenkeel: " << error.message << '\n';
  return 2;
}

/// Opens the page before the simulation, so that a path that cannot be written fails at once.
Result<std::optional<platform::AtomicFile>> OpenPage(const std::string& path) {
  if (path.empty()) return std::nullopt;
  auto file = platform::AtomicFile::Create(path);
  if (!file) return InvalidInput("--html: " + file.error().message);
  return std::optional(std::move(*file));
}

}  // namespace

int RunSimulateCommand(const SimulateOptions& options, const workloads::Registry& registry,
                       std::ostream& out, std::ostream& err) {
  const auto plan = PlanSimulation(options, registry);
  if (!plan) return Refuse(plan.error(), err);
  auto file = OpenPage(options.html);
  if (!file) return Refuse(file.error(), err);
  const RecordedRun* const recorded = plan->recorded ? &*plan->recorded : nullptr;
  SimulatePage page;
  std::vector<ScenarioRun> runs;
  for (const Scenario& scenario : plan->scenarios) {
    for (std::int64_t n = 0; n < scenario.repetitions; ++n) {
      RunSeed(scenario, n, recorded, *file ? &page : nullptr, runs);
      if (options.show_progress) TellProgress(scenario, n + 1, err);
    }
  }
  options.json ? WriteSimulationJson(runs, recorded, out)
               : WriteSimulationTables(runs, recorded, out);
  if (*file) {
    const auto written =
        page.Html(runs)
            .and_then([&](const std::string& html) { return (*file)->Append(html); })
            .and_then([&] { return (*file)->Commit(); });
    if (!written) return Refuse(written.error(), err);
  }
  const bool complete = std::all_of(runs.begin(), runs.end(), [](const ScenarioRun& run) {
    return run.state == model::JobState::kComplete;
  });
  return complete ? 0 : 1;
}

}  // namespace evenkeel::cli
