#pragma once

#include <memory>

#include "workloads/data_blocks.h"
#include "workloads/matmul/matmul_spec.h"

namespace evenkeel::workloads::matmul {

/// The blocks of the factors that are here: files at the coordinator, random ones everywhere.
/// Thread-safe.
class MatrixBlocks final : public BlockSource {
 public:
  MatrixBlocks(const Division& division, std::shared_ptr<const Matrix> a,
               std::shared_ptr<const Matrix> b);

  [[nodiscard]] std::int64_t SizeOf(BlockId id) const override;
  [[nodiscard]] Result<void> Read(BlockId id, std::int64_t offset,
                                  std::span<char> into) const override;
  /// Whether the factor that the block belongs to is here.
  [[nodiscard]] bool Has(BlockId id) const;

 private:
  [[nodiscard]] const Matrix* MatrixOf(Factor factor) const;

  Division division_;
  std::shared_ptr<const Matrix> a_;
  std::shared_ptr<const Matrix> b_;
};

/// Reads blocks that are here at once, on the calling thread; others come from `remote`, which may
/// be null if there are none. Both must outlive it.
class NearestBlocks final : public BlockFetcher {
 public:
  NearestBlocks(const MatrixBlocks& here, BlockFetcher* remote) : here_(here), remote_(remote) {}
  void Fetch(BlockId id, std::span<char> into, Done done) override;

 private:
  const MatrixBlocks& here_;
  BlockFetcher* remote_;
};

}  // namespace evenkeel::workloads::matmul
