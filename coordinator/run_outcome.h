#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/job_run.h"
#include "coordinator/run_results.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// A node as the node file declares it.
struct NodeDeclaration {
  std::uint32_t threads = 1;
  std::optional<double> emulated_speed;
  std::string slot_limit{};  ///< as NodeSlots::limited_by
};

/// A node that could have taken part and got no work, to save energy.
struct LeftOutNode {
  std::string name;
  std::optional<NodeDeclaration> declared;  ///< so that bounds count it; nothing: not known
};

/// The input of a job's results and summary beside its journal.
struct OutcomeContext {
  SharedJobVersion version;
  std::filesystem::path folder;
  /// The expected nodes in their order; other nodes have the threads that their workers report.
  std::vector<NodeDeclaration> nodes;
  /// Whether this machine stands in for the nodes, so that the rate of its cores says theirs.
  bool calibrate = false;
  std::string speed_control = "none";
  std::vector<LeftOutNode> left_out{};
  model::TaskDescription tasks{};  ///< as DescribeTasks
};

/// Describes the tasks of the job in words. Reads all parameters of the workload, so call it once.
[[nodiscard]] model::TaskDescription DescribeTasks(const model::JobSpec& job);

/// The summary of a run as it stands: with what earlier starts did and, if the rate of a core is
/// known or not needed, the lower bound. `units_per_core_second` as in ComputeLowerBound.
[[nodiscard]] model::RunSummary SumUp(const OutcomeContext& context, const RunEnd& end,
                                      const WorkByNode& earlier, std::uint64_t epoch,
                                      double units_per_core_second);

/// Writes what a run leaves in its folder: results (if complete), timeline.jsonl, summary.json,
/// report.html, metrics.prom; the journal's word that the job has ended comes last. `earlier` is
/// what earlier starts of the job had done. After an error the same call may be made again.
[[nodiscard]] Result<model::RunSummary> LeaveResults(const OutcomeContext& context,
                                                     Journal& journal, const RunEnd& end,
                                                     const WorkByNode& earlier);

/// Writes results, timeline and report anew from the journal of a job that was complete before; the
/// summary stays as that run left it. kUnavailable or kInvalidInput if there is no such summary any
/// more: then the job has to be summed up again.
[[nodiscard]] Result<model::RunSummary> RefreshResults(const OutcomeContext& context,
                                                       const Journal& journal);

/// Writes metrics.prom, the metrics of a run that has ended, into `folder`: whole or not at all, in
/// the text format, as node_exporter's textfile collector takes it. Durations of tasks are read
/// from the journal. Errors as of Journal::ForEachResult and platform::WriteFileAtomically.
Result<void> WriteMetrics(const model::JobSpec& job, const JournalReader& journal,
                          const RunEnd& end, const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
