#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "platform/files.h"
#include "workloads/matmul/division.h"

namespace evenkeel::workloads::matmul {

/// Writes c.npy. Tiles may come in any order and are written to their places, so at most one of
/// them is in memory. Partial sums are stored in a second file and added in the order of the depth,
/// so the sum does not depend on the order of arrival. The product appears under its name complete
/// and durable, or not at all. Errors of all functions: kStorageFull if the disk is full, else
/// kUnavailable. Not thread-safe.
class ProductFile {
 public:
  /// Allocates the disk space for the product.
  [[nodiscard]] static Result<std::unique_ptr<ProductFile>> Create(
      const std::filesystem::path& path, const Division& division);
  ProductFile(const ProductFile&) = delete;
  ProductFile& operator=(const ProductFile&) = delete;
  /// Removes what was written if it was not committed.
  ~ProductFile();

  /// Writes the result of a task.
  [[nodiscard]] Result<void> Put(const Tile& tile, std::span<const char> elements);
  /// Adds the partial sums. Called after the last Put.
  [[nodiscard]] Result<void> AddParts();
  /// Reads whole rows, after AddParts.
  [[nodiscard]] Result<void> ReadRows(std::int64_t row, std::span<char> into) const;
  /// Makes the file durable and gives it its name.
  [[nodiscard]] Result<void> Commit();

 private:
  ProductFile(std::filesystem::path path, const Division& division);
  Result<void> Open();
  Result<void> WriteWindow(const Window& window, std::span<const char> elements);
  [[nodiscard]] std::int64_t PlaceOfPart(std::int64_t tile_row, std::int64_t tile_column,
                                         std::int64_t part) const;
  Result<void> AddPartsOf(std::int64_t tile_row, std::int64_t tile_column, std::vector<char>& sum,
                          std::vector<char>& next);

  std::filesystem::path path_;
  std::filesystem::path parts_path_;
  Division division_;
  std::int64_t data_offset_ = 0;
  std::optional<platform::AtomicFile> file_;  // once Open has succeeded
  platform::FileDescriptor parts_;            // open if there are partial sums
};

}  // namespace evenkeel::workloads::matmul
