#pragma once

#include <memory>

#include "workloads/data_blocks.h"
#include "workloads/matmul/matmul_spec.h"

namespace evenkeel::workloads::matmul {

/// The blocks of the local factors: files are local at the coordinator, random matrices everywhere.
/// Thread-safe.
class MatrixBlocks final : public BlockSource {
 public:
  MatrixBlocks(const Division& division, std::shared_ptr<const Matrix> a,
               std::shared_ptr<const Matrix> b);

  [[nodiscard]] std::int64_t SizeOf(BlockId id) const override;
  [[nodiscard]] Result<void> Read(BlockId id, std::int64_t offset,
                                  std::span<char> into) const override;
  /// Whether the block's factor is local.
  [[nodiscard]] bool Has(BlockId id) const;
  /// Whether the factor is local and View gives its elements.
  [[nodiscard]] bool IsMapped(Factor factor) const;
  /// The elements of a block of such a factor, as Matrix::View.
  [[nodiscard]] Result<MatrixView> View(BlockId id) const;

 private:
  [[nodiscard]] const Matrix* MatrixOf(Factor factor) const;

  Division division_;
  std::shared_ptr<const Matrix> a_;
  std::shared_ptr<const Matrix> b_;
};

/// Reads local blocks synchronously on the calling thread and fetches others from `remote`, which
/// may be null if all are local. Both must outlive it.
class LocalFirstFetcher final : public BlockFetcher {
 public:
  LocalFirstFetcher(const MatrixBlocks& here, BlockFetcher* remote)
      : here_(here), remote_(remote) {}
  void Fetch(BlockId id, std::span<char> into, Done done) override;
  [[nodiscard]] model::DataTransfer TakeTransfer() override {
    return remote_ == nullptr ? model::DataTransfer{} : remote_->TakeTransfer();
  }

 private:
  const MatrixBlocks& here_;
  BlockFetcher* remote_;
};

}  // namespace evenkeel::workloads::matmul
