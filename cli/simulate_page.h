#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/lane_recorder.h"
#include "simulator/recorded_run.h"
#include "simulator/scenario_run.h"
#include "simulator/summary.h"

namespace evenkeel::cli {

/// Gathers what the page of `simulate --html` shows: of each scenario the lanes of its first seed,
/// and a table over all seeds. Not thread-safe.
class SimulatePage {
 public:
  /// Begins a scenario; its runs come next. Both arguments outlive this object; `recorded`, the
  /// replayed run, may be null.
  void Begin(const simulator::Scenario& scenario, const simulator::SimulationConfig& drawn,
             const simulator::RecordedRun* recorded);

  /// For the next run of the first seed.
  [[nodiscard]] simulator::Recorder NextLanes();
  void Ended(const simulator::ScenarioRun& run);

  /// The whole page. `runs` are all of all scenarios.
  [[nodiscard]] Result<std::string> Html(const std::vector<simulator::ScenarioRun>& runs);

 private:
  struct Lanes {
    std::unique_ptr<LaneRecorder> recorder;
    simulator::ScenarioRun run;
    double startup_seconds = 0;
    bool recorded = false;  ///< it took place
  };
  struct Part {
    const simulator::Scenario* scenario = nullptr;
    const simulator::RecordedRun* recorded = nullptr;
    std::vector<std::string> nodes;
    std::vector<double> speeds;  ///< of all cores of each together, at its best
    std::vector<Lanes> lanes;
  };
  [[nodiscard]] static Result<void> AddRecorded(Part& part);
  /// Puts the recorded run first and the others in the order of the rows.
  static void Sort(std::vector<Lanes>& lanes, const std::vector<simulator::Summary>& rows);
  [[nodiscard]] static std::string RunData(Lanes& lanes, std::size_t most_bars);
  [[nodiscard]] static std::string PartData(Part& part,
                                            const std::vector<simulator::ScenarioRun>& runs);

  std::vector<Part> parts_;
};

}  // namespace evenkeel::cli
