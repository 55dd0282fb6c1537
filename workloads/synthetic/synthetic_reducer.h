#pragma once

#include <cstdint>
#include <memory>

#include "workloads/workload.h"

namespace evenkeel::workloads::synthetic {

/// Checks every result against the expected bytes, counts them, and with at most kMaxTasksInTables
/// tasks writes results.npy: uint64, one row (index, hash) a task in index order. Memory: the gaps
/// between the tasks received.
[[nodiscard]] std::unique_ptr<Reducer> MakeSyntheticReducer(std::int64_t task_count,
                                                            std::uint64_t seed);

}  // namespace evenkeel::workloads::synthetic
