#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/index_range.h"
#include "workloads/command/command.h"
#include "workloads/result_file.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// Rows of text that come in any order and leave in that of their indexes, kept in a file without a
/// name: the memory is that of the gaps, not of the rows. Not thread-safe.
class RowSpool {
 public:
  RowSpool() = default;
  ~RowSpool();
  RowSpool(const RowSpool&) = delete;
  RowSpool& operator=(const RowSpool&) = delete;

  /// Before all else: the file is made in `folder`. Errors of all functions: kStorageFull when
  /// there is no room, else kUnavailable.
  [[nodiscard]] Result<void> Open(const std::filesystem::path& folder);
  /// The rows of the tasks of `range`, in their order; no task comes twice.
  [[nodiscard]] Result<void> Append(model::IndexRange range, std::string_view rows);
  /// Appends all rows to `file`.
  [[nodiscard]] Result<void> CopyTo(ResultFile& file);

 private:
  struct Piece {  // rows of consecutive tasks that stand one after the other
    model::IndexRange range;
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  [[nodiscard]] Result<void> Flush();
  [[nodiscard]] Result<void> CopyPiece(const Piece& piece, ResultFile& file) const;

  int file_ = -1;
  std::filesystem::path folder_;
  std::string waiting_;        // not written yet
  std::uint64_t written_ = 0;  // bytes in the file
  std::vector<Piece> pieces_;
};

/// Writes results.jsonl, a row for each task that succeeded or failed for good, by index. Memory:
/// one report's results and the gaps between them; the rows wait in a file beside it.
[[nodiscard]] std::unique_ptr<Reducer> MakeCommandReducer(const CommandSpec& spec);

}  // namespace evenkeel::workloads::command
