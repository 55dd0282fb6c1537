#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::matmul {

inline constexpr std::string_view kName = "matmul";
/// 2: whole numbers are divided into smaller tiles.
inline constexpr std::uint32_t kVersion = 2;

/// C = A x B for matrices of any size, from files or random: docs/matmul.md. Tasks are tiles of C,
/// see Division; costs are multiply-adds, twice. The result is c.npy.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeMatmul(const model::FieldReader& fields,
                                                                 const WorkloadContext& context);

}  // namespace evenkeel::workloads::matmul
