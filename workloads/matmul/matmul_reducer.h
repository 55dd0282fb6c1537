#pragma once

#include <memory>

#include "workloads/matmul/matmul_spec.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::matmul {

/// Puts tiles into c.npy. `spec`, with both factors, and `division` must outlive it.
[[nodiscard]] std::unique_ptr<Reducer> MakeMatmulReducer(const MatmulSpec& spec,
                                                         const Division& division);

}  // namespace evenkeel::workloads::matmul
