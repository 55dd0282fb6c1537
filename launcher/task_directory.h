#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/protocol.h"

/// Work in the directory of a task, whose content may be anything: the command chose it. No link is
/// followed, so nothing outside of the directory is read, changed or removed.
namespace evenkeel::launcher {

/// A file that was looked up; `descriptor` is the caller's.
struct LookedUpFile {
  FileStatus status = FileStatus::kFailed;
  int error = 0;  ///< errno, with kFailed
  int descriptor = -1;
  std::int64_t size_bytes = 0;
};

/// Opens a regular file below `folder` for reading. `path` is relative, with neither empty
/// components nor "..".
[[nodiscard]] LookedUpFile OpenRegularFile(const std::string& folder, const std::string& path);

/// Finds what is below a folder, except folders, and matches a glob, whose components are matched
/// one by one as by fnmatch(3) with FNM_PERIOD. `follow_links`: links to folders are entered.
struct Search {
  std::string folder;
  std::string glob;  ///< relative, with neither empty components nor ".."
  std::size_t max_files = 0;
  bool follow_links = false;
};
/// The paths relative to the folder, sorted; kTooMany, if there are more than `max_files`, or more
/// than fit into a message.
[[nodiscard]] FoundFiles FindFiles(const Search& search);

/// Removes a folder with all that is in it, or only what is in it if the folder around it belongs
/// to another user, whatever the depth and the modes of folders that belong to this process's user.
/// Uses a fixed number of descriptors and memory that does not depend on the depth. Returns 0, also
/// if there is no such folder, or an errno; ETIMEDOUT if it takes longer than `patience`, for
/// example because a process goes on writing.
[[nodiscard]] int RemoveFolder(const std::string& folder, std::chrono::seconds patience);

}  // namespace evenkeel::launcher
