#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "platform/file_descriptor.h"

namespace evenkeel::cli {

/// A folder of the user's that gets files at paths which other programs have chosen. No link below
/// it is followed, so nothing outside of it is written. Movable; used by one thread. Errors of all
/// functions: "PATH: what is wrong", kStorageFull or kInvalidInput.
class OutputFolder {
 public:
  /// Makes the folder unless there is one. `folder` may be a link to another.
  [[nodiscard]] static Result<OutputFolder> Make(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& Path() const { return path_; }
  /// The name in this folder that a file has until Place. Other processes use others.
  [[nodiscard]] const std::string& ArrivalName() const { return arrival_name_; }
  /// Moves the file called ArrivalName() to `path`, which must pass workloads::PathMistake. Makes
  /// the folders around it, and replaces a file or a link that is there. If that is impossible, the
  /// file is removed.
  [[nodiscard]] Result<void> Place(const std::string& path) const;

 private:
  OutputFolder(std::filesystem::path path, platform::FileDescriptor folder);
  [[nodiscard]] Result<void> Move(const std::string& path) const;

  std::filesystem::path path_;
  platform::FileDescriptor folder_;
  std::string arrival_name_;
};

}  // namespace evenkeel::cli
