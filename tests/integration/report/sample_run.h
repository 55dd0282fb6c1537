#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/model/run_record.h"

namespace evenkeel::testing {

struct SampleOptions {
  std::int64_t workers = 3;
  /// "TailStealing", or "ModifiedMasterSlave" for stages and a master that does not compute.
  std::string strategy = "TailStealing";
  std::int64_t tasks = 2000;
  /// How long each worker computes before it reports a range.
  double report_seconds = 0.3;
  std::string job = "primes";
  /// Things that the job has, words of: needs, costs, noise, ranges, failures, alone.
  std::string facts{};
};

/// Adds what a job says of its tasks, and made-up figures of it, to a summary with nodes.
void AddSampleFacts(const SampleOptions& options, model::RunSummary& summary);

/// Writes a plausible summary.json and timeline.jsonl into `folder`: three boards of the Pi kind,
/// or any number of nodes, one of which slows down in mid-run and one is lost for a while.
/// The same options give the same files.
Result<void> WriteSampleRun(const std::filesystem::path& folder, const SampleOptions& options);

}  // namespace evenkeel::testing
