#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace evenkeel::http {

/// A regular file that is open for reading. Movable.
class ServedFile {
 public:
  /// Opens the file `name` in `folder`. `name` is one component of a path; it is never followed if
  /// it is a symbolic link. `folder` is trusted and may contain links. Nothing if there is no such
  /// regular file.
  [[nodiscard]] static std::optional<ServedFile> Open(const std::filesystem::path& folder,
                                                      std::string_view name);
  /// Takes over the descriptor of a regular file, which is open for reading at its start.
  [[nodiscard]] static ServedFile Take(int descriptor) { return ServedFile(descriptor); }
  ServedFile(ServedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ServedFile& operator=(ServedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~ServedFile();

  /// Hands the descriptor, at the start of the file, to the caller, who closes it.
  [[nodiscard]] int Release() { return std::exchange(descriptor_, -1); }

 private:
  explicit ServedFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace evenkeel::http
