#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "workloads/matmul/division.h"

namespace evenkeel::workloads::matmul {

/// c.npy while it grows: tiles come in any order and go to their places, so no more than one of
/// them is in memory. Partial sums wait in a file of their own and are added in the order of the
/// depth, so the sum does not depend on the order in which they came. The product appears under its
/// name complete and durable, or not at all. Errors of all functions: kStorageFull when there is no
/// room, else kUnavailable. Not thread-safe.
class ProductFile {
 public:
  /// Takes the room on the disk that the product needs.
  [[nodiscard]] static Result<std::unique_ptr<ProductFile>> Create(
      const std::filesystem::path& path, const Division& division);
  ProductFile(const ProductFile&) = delete;
  ProductFile& operator=(const ProductFile&) = delete;
  /// Removes what was written if it was not committed.
  ~ProductFile();

  /// Takes the result of a task.
  [[nodiscard]] Result<void> Put(const Tile& tile, std::span<const char> elements);
  /// After the last Put: adds partial sums.
  [[nodiscard]] Result<void> AddParts();
  /// Reads whole rows, after AddParts.
  [[nodiscard]] Result<void> ReadRows(std::int64_t row, std::span<char> into) const;
  /// Gives the file its name.
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
  std::filesystem::path partial_path_;
  std::filesystem::path parts_path_;
  Division division_;
  std::int64_t data_offset_ = 0;
  int file_ = -1;
  int parts_ = -1;
  bool committed_ = false;
};

}  // namespace evenkeel::workloads::matmul
