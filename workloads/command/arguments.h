#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"

namespace evenkeel::workloads::command {

inline constexpr std::size_t kMaxArgumentBytes = 65'536;
inline constexpr std::int64_t kMaxLines = 10'000'000;
inline constexpr std::size_t kMaxFileBytes = std::size_t{32} << 20;
/// Declared costs. Only their ratios matter, so bytes, seconds or points will do.
inline constexpr model::NumberRange kDeclaredCosts{0, 1e12};

/// The arguments of the tasks, by index, and their declared costs if the file has a column of them.
/// Not thread-safe while arguments are appended.
class Arguments {
 public:
  /// Reads one argument per line. Lines end with "\n" or "\r\n"; the last one may have no end.
  /// `name` is resolved in `folder`, and must be inside if `confined`. `cost_column` > 0: lines
  /// have columns separated by tabs, of which this one (from 1) is the declared cost of the task;
  /// the others are the argument, with the tabs between them. Errors (kInvalidInput) name the file
  /// and the line.
  [[nodiscard]] static Result<Arguments> FromFile(const std::filesystem::path& folder,
                                                  const std::filesystem::path& name, bool confined,
                                                  std::size_t cost_column = 0);

  void Append(std::string_view argument);
  [[nodiscard]] std::int64_t Count() const { return static_cast<std::int64_t>(ends_.size()); }
  [[nodiscard]] std::string_view At(std::int64_t index) const;
  /// The costs from the file, one per argument; empty if it has no column of costs.
  [[nodiscard]] const std::vector<double>& DeclaredCosts() const { return costs_; }

 private:
  /// Returns the first error in the lines of `text`; empty if there is none.
  [[nodiscard]] std::string AppendLines(std::string_view text, std::size_t cost_column);

  [[nodiscard]] std::string AppendWithCost(std::string_view line, std::size_t column);

  std::string bytes_;
  std::vector<std::uint32_t> ends_;  // end of each argument in bytes_; fits, see kMaxFileBytes
  std::vector<double> costs_;
};

}  // namespace evenkeel::workloads::command
