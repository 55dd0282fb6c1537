#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/matmul/division.h"
#include "workloads/matmul/matrix.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::matmul {

/// How blocks travel to a worker: at most `window` pieces are under way; new ones are asked for
/// when only `refresh_at` are left, as many as fit.
struct TransferSpec {
  std::int64_t window = 8;
  std::int64_t refresh_at = 4;
  bool between_workers = true;  ///< blocks may come from a worker that has them
};

/// spec.workload.matmul, its files opened and its division made; or what a worker is told of it.
struct MatmulSpec {
  ProductShape shape;
  TileSizes sizes;
  /// The factors; null at a worker if they are files.
  std::shared_ptr<const Matrix> a;
  std::shared_ptr<const Matrix> b;
  /// Seeds, where factors are random.
  std::optional<std::uint64_t> seed_a;
  std::optional<std::uint64_t> seed_b;
  std::int64_t memory_bytes = 0;
  bool keep_blocks = true;  ///< whether blocks stay in memory for later tasks
  bool keep_row = false;    ///< whether those of A do, even if others do not
  bool verify = true;
  TransferSpec transfer;
};

/// Reads the parameters, and the headers of files as `context` says. Errors as FieldReader gives
/// them, and what is wrong with the files.
[[nodiscard]] Result<MatmulSpec> ReadMatmulSpec(model::FieldReader fields,
                                                const WorkloadContext& context);

/// What a worker has to know: a mapping with the one field `divided`, as JSON text.
[[nodiscard]] std::string DividedParameters(const MatmulSpec& spec);

/// Reads that mapping. Errors as FieldReader gives them.
[[nodiscard]] Result<MatmulSpec> ReadDividedSpec(model::FieldReader fields);

}  // namespace evenkeel::workloads::matmul
