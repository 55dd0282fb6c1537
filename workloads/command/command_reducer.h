#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/index_range.h"
#include "platform/files.h"
#include "workloads/command/command_spec.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// Sorts rows of text by their task indexes. The rows are kept in an unlinked file, so the memory
/// depends on the number of gaps between ranges, not on the rows. Not thread-safe.
class RowSpool {
 public:
  RowSpool() = default;
  ~RowSpool();
  RowSpool(const RowSpool&) = delete;
  RowSpool& operator=(const RowSpool&) = delete;

  /// Creates the file in `folder`. Called first. Errors of all functions: kStorageFull if the disk
  /// is full, else kUnavailable.
  [[nodiscard]] Result<void> Open(const std::filesystem::path& folder);
  /// Adds the rows of the tasks of `range`, in their order. No task may be added twice.
  [[nodiscard]] Result<void> Append(model::IndexRange range, std::string_view rows);
  /// Appends all rows to `file`.
  [[nodiscard]] Result<void> CopyTo(platform::AtomicFile& file);

 private:
  struct Piece {  // rows of consecutive tasks, contiguous in the file
    model::IndexRange range;
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  [[nodiscard]] Result<void> Flush();
  [[nodiscard]] Result<void> CopyPiece(const Piece& piece, platform::AtomicFile& file) const;

  int file_ = -1;
  std::filesystem::path folder_;
  std::string unwritten_;      // not written yet
  std::uint64_t written_ = 0;  // bytes in the file
  std::vector<Piece> pieces_;
};

/// The result file of a job.
inline constexpr const char* kResultsFile = "results.jsonl";

/// Writes results.jsonl, a row for each task that succeeded or failed for good, by index. Memory:
/// one report's results and the gaps between tasks; the rows are kept in a file until Finish.
[[nodiscard]] std::unique_ptr<Reducer> MakeCommandReducer(const CommandSpec& spec);

}  // namespace evenkeel::workloads::command
