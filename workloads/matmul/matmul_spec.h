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

/// How blocks are sent to a worker: at most `window` pieces are in flight; when only `refresh_at`
/// are, the worker requests as many as fit into the window.
struct TransferSpec {
  std::int64_t window = 8;
  std::int64_t refresh_at = 4;
  bool between_workers = true;  ///< blocks may come from a worker that has them
};

/// A factor's file as a worker on the coordinator's machine finds it.
struct FactorFile {
  std::string path;     ///< absolute; any bytes
  std::string version;  ///< Matrix::Version
};

/// spec.workload.matmul with its files opened and its division chosen, or the part of it that
/// workers receive.
struct MatmulSpec {
  ProductShape shape;
  TileSizes sizes;
  /// The factors; null at a worker if they are files that it does not read itself.
  std::shared_ptr<const Matrix> a;
  std::shared_ptr<const Matrix> b;
  /// Seeds, where factors are random.
  std::optional<std::uint64_t> seed_a;
  std::optional<std::uint64_t> seed_b;
  /// Where factors are files that workers may read themselves.
  std::optional<FactorFile> file_a;
  std::optional<FactorFile> file_b;
  std::int64_t memory_bytes = 0;
  bool keep_blocks = true;  ///< whether blocks stay in the cache for later tasks
  bool keep_row = false;    ///< whether blocks of A stay in the cache even if others do not
  bool verify = true;
  TransferSpec transfer;
};

/// Reads the parameters and the headers of the files. Errors as FieldReader gives them; an error in
/// a file is reported for its field.
[[nodiscard]] Result<MatmulSpec> ReadMatmulSpec(model::FieldReader fields,
                                                const WorkloadContext& context);

/// The parameters for workers: a mapping with the one field `divided`, as JSON text.
[[nodiscard]] std::string WorkerParametersOf(const MatmulSpec& spec);

/// Reads that mapping. With `context.reads_blocks_locally`, opens the files that it names; one
/// that cannot be opened or has changed is left to be fetched. Errors as FieldReader gives them.
[[nodiscard]] Result<MatmulSpec> ReadWorkerSpec(model::FieldReader fields,
                                                const WorkloadContext& context);

}  // namespace evenkeel::workloads::matmul
