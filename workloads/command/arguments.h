#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::workloads::command {

inline constexpr std::size_t kMaxArgumentBytes = 65'536;
inline constexpr std::int64_t kMaxLines = 10'000'000;
inline constexpr std::size_t kMaxFileBytes = std::size_t{32} << 20;

/// The arguments of the tasks, by index: their bytes and where each ends. Not thread-safe while it
/// grows.
class Arguments {
 public:
  /// A line each, ended by "\n" or "\r\n"; after the last one the end may be missing. `name` is
  /// looked up in `folder`, and nowhere else if `confined`. Errors (kInvalidInput) name the file,
  /// and the line that is empty, too long or has a zero byte.
  [[nodiscard]] static Result<Arguments> FromFile(const std::filesystem::path& folder,
                                                  const std::filesystem::path& name, bool confined);

  void Append(std::string_view argument);
  [[nodiscard]] std::int64_t Count() const { return static_cast<std::int64_t>(ends_.size()); }
  [[nodiscard]] std::string_view At(std::int64_t index) const;

 private:
  /// Empty, or what is wrong with one of the lines of `text`.
  [[nodiscard]] std::string AppendLines(std::string_view text);

  std::string bytes_;
  std::vector<std::uint32_t> ends_;  // in bytes_, of each; kMaxFileBytes keeps them in 32 bits
};

}  // namespace evenkeel::workloads::command
