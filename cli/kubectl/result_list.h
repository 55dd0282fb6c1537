#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/range_set.h"

namespace evenkeel::cli {

/// A file of results, as the coordinator lists it.
struct ResultFile {
  std::string name;
  std::optional<std::uint64_t> bytes;
};

/// Reads the list: JSON, of names or of objects with `name` and `bytes`. Its writer may be
/// hostile, so each name must be one of a plain file (platform::IsPlainFileName), or of one in the
/// folder `reduce`; none of the files that this program writes itself, none twice; at most 1,000
/// files. Otherwise the whole list is refused (kInternal).
[[nodiscard]] Result<std::vector<ResultFile>> ReadResultList(const std::string& text);

/// Which tasks have output files, from some task on.
struct OutputTasks {
  model::RangeSet tasks;
  std::optional<model::TaskIndex> next;  ///< where the next list begins; none: this is the last
};

/// Reads the list that begins with the task `from`: {"tasks": [[FIRST, LAST], ...], "next": INDEX}.
/// Its writer may be hostile, so ranges must be in order, be about the next
/// workloads::kListedTasks tasks, and `next` must be a later one. Otherwise the whole list is
/// refused (kInternal).
[[nodiscard]] Result<OutputTasks> ReadOutputTasks(const std::string& text, model::TaskIndex from);

/// An output file of a task.
struct OutputFile {
  std::string path;  ///< relative; passes workloads::PathMistake. Any bytes: not for a terminal
  std::uint64_t bytes = 0;
};

/// Reads the list of a task's output files: [{"path": PERCENT-ENCODED, "bytes": NUMBER}, ...]. Its
/// writer may be hostile, so no path may be one that workloads::PathMistake refuses, none may come
/// twice, and there may be at most workloads::kMaxOutputFiles. Otherwise the whole list is refused
/// (kInternal).
[[nodiscard]] Result<std::vector<OutputFile>> ReadOutputFiles(const std::string& text);

}  // namespace evenkeel::cli
