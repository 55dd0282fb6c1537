#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/job_version.h"
#include "core/base/error.h"
#include "core/engine/coordinator.h"
#include "core/model/job_spec.h"
#include "core/model/node_profile.h"
#include "workloads/local_task_files.h"
#include "workloads/registry.h"
#include "workloads/workload.h"

namespace evenkeel::cli {

struct RunOptions {
  std::string job_file;
  std::string nodes_file;     ///< empty: this machine as one node with all its cores
  std::string output;         ///< empty: evenkeel-NAME in the current folder
  std::string rerun;          ///< the folder of an earlier run, tasks of which run again; or empty
  std::string rerun_indexes;  ///< of these tasks, as "3,7-9"; empty: those that failed
  std::string strategy;       ///< empty: as the job says
  std::optional<std::int64_t> seed;      ///< for the workload synthetic alone
  bool json = false;                     ///< summary.json on standard output instead of text
  std::string worker_binary;             ///< path of evenkeel-worker
  std::optional<std::uint16_t> ui_port;  ///< of the live page, 0: any that is free; none: no page
  bool ui_stays = false;  ///< the page is served on after the end, until told to stop
};

/// One node of a local run.
struct LocalNode {
  std::string name;
  double ratio = 1;
  std::uint32_t threads = 1;
  std::optional<double> emulated_speed;
  std::optional<model::NodePower> power{};
  /// Limit for the worker and its tasks together; nothing: no limit.
  std::optional<std::int64_t> memory_limit_bytes{};
  /// The resource that allows no more threads; empty if that is not what its tasks need.
  std::string slot_limit{};
};

/// A local run, checked and ready to start. Nothing has been written yet.
struct RunPlan {
  coordinator::SharedJobVersion version;
  std::vector<LocalNode> nodes;
  std::vector<LocalNode> left_out;  ///< get no worker, to save energy
  std::filesystem::path folder;
  std::optional<workloads::LocalFiles> files;  ///< if tasks have input or output files
  std::optional<model::RerunSelection> rerun;  ///< tasks of the run in `folder` that run again
  std::vector<std::string> environment;        ///< of the workers, beside ours: "NAME=value"
  std::vector<std::string> notes;              ///< for the user, one line each

  [[nodiscard]] const model::JobSpec& job() const { return version->spec(); }
  [[nodiscard]] const workloads::Workload& workload() const { return *version->workload(); }
};

/// The options of a run of which nothing is left open: with RunOptions::rerun, options that were
/// not given are those that KeepOptions wrote there. Errors (kInvalidInput) are one line.
[[nodiscard]] Result<RunOptions> CompleteOptions(RunOptions options);

/// Writes the options that a rerun needs to `folder`/run.json. Errors as of
/// platform::WriteFileAtomically.
[[nodiscard]] Result<void> KeepOptions(const RunOptions& options,
                                       const std::filesystem::path& folder);

/// Reads and checks the manifest alone, as PlanRun does.
[[nodiscard]] Result<coordinator::SharedJobVersion> ReadJobVersion(
    const RunOptions& options, const workloads::Registry& registry);

/// Reads job and nodes and weighs the nodes. The job's workload is one of `registry`. Errors
/// (kInvalidInput) are one line.
[[nodiscard]] Result<RunPlan> PlanRun(const RunOptions& options,
                                      const workloads::Registry& registry);

}  // namespace evenkeel::cli
