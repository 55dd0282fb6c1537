#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace evenkeel::fuzz {

/// An empty folder below $TMPDIR, or /tmp, which is removed with this object. Stops the process if
/// the disk does not cooperate. Not thread-safe.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& Path() const { return path_; }
  /// Writes or replaces a file. Returns its path.
  std::filesystem::path Write(const std::string& name, std::string_view bytes) const;
  /// Removes all files.
  void Clear() const;

 private:
  std::filesystem::path path_;
};

}  // namespace evenkeel::fuzz
