#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace evenkeel::testing {

struct SampleOptions {
  std::int64_t workers = 3;
  /// "TailStealing", or "ModifiedMasterSlave" for stages and a master that does not compute.
  std::string strategy = "TailStealing";
  std::int64_t tasks = 2000;
  /// How long each worker computes before it reports a range.
  double report_seconds = 1.0;
  std::string job = "primes";
};

/// Writes a plausible summary.json and timeline.jsonl into `folder`: unequal workers on the load of
/// the primes, one of which slows down in mid-run while the others take over its tail; one is lost
/// for a while if there are more than three. The same options give the same files.
/// This is a picture to draw, not a model of the scheduler.
Result<void> WriteSampleRun(const std::filesystem::path& folder, const SampleOptions& options);

}  // namespace evenkeel::testing
