#pragma once

#include <memory>

#include "workloads/matmul/matmul_spec.h"
#include "workloads/matmul/matrix_blocks.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::matmul {

/// Multiplies tiles, see Division; a result is the tile's elements row by row. `division` and
/// `blocks` must outlive the runner, and so must what `options` points to.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeMatmulRunner(const MatmulSpec& spec,
                                                           const Division& division,
                                                           const MatrixBlocks& blocks,
                                                           const RunnerOptions& options);

}  // namespace evenkeel::workloads::matmul
