#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "workloads/switch_simulation/sweep_results.h"

namespace evenkeel::workloads::switch_simulation {

/// Writes the results as CSV (RFC 4180, but lines end with LF): a line of names, then one for each
/// task that has a result, in the order of their indexes. Errors: those of ResultFile.
[[nodiscard]] Result<void> WriteResultTable(const std::filesystem::path& path,
                                            const SweepResults& results);

}  // namespace evenkeel::workloads::switch_simulation
