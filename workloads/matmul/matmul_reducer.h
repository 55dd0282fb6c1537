#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "workloads/matmul/matmul_spec.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::matmul {

/// Fills words for Freivalds' check, which no worker can have known while it computed.
using DrawWords = std::function<Result<void>(std::span<std::uint64_t>)>;

/// Draws them from the kernel.
[[nodiscard]] Result<void> DrawFromKernel(std::span<std::uint64_t> words);

/// Puts tiles into c.npy. `spec`, with both factors, and `division` must outlive it. `draw_words`
/// is called once, by Begin, and thus after the last result is in the journal.
[[nodiscard]] std::unique_ptr<Reducer> MakeMatmulReducer(const MatmulSpec& spec,
                                                         const Division& division,
                                                         DrawWords draw_words = DrawFromKernel);

}  // namespace evenkeel::workloads::matmul
