#include "cli/kubectl/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "platform/files.h"
#include "workloads/task_files.h"

namespace evenkeel::cli {
namespace {

using platform::FileDescriptor;

constexpr int kPlace = O_PATH | O_DIRECTORY | O_CLOEXEC;

/// The name of a place below `folder` in a message; `path` may be any bytes.
std::string Shown(const std::filesystem::path& folder, const std::string& path) {
  return folder.string() + "/" + workloads::ShownPath(path);
}

/// A folder that cannot be written to is the user's to change.
tl::unexpected<Error> FolderError(const std::string& path, int error_number) {
  Error error = platform::WriteError(path, error_number);
  if (error.code != ErrorCode::kStorageFull) error.code = ErrorCode::kInvalidInput;
  return tl::unexpected(std::move(error));
}

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path path, FileDescriptor folder)
    : path_(std::move(path)),
      folder_(std::move(folder)),
      arrival_name_(".arriving-" + std::to_string(::getpid())) {}

Result<OutputFolder> OutputFolder::Make(std::filesystem::path folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return FolderError(folder.string(), error.value());
  FileDescriptor place(::open(folder.c_str(), kPlace));
  if (!place.IsOpen()) return FolderError(folder.string(), errno);
  return OutputFolder(std::move(folder), std::move(place));
}

Result<void> OutputFolder::Place(const std::string& path) const {
  auto moved = Move(path);
  if (!moved) ::unlinkat(folder_.Get(), arrival_name_.c_str(), 0);
  return moved;
}

Result<void> OutputFolder::Move(const std::string& path) const {
  FileDescriptor entered;
  int parent = folder_.Get();
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', begin)) {
    const std::string name = path.substr(begin, end - begin);
    if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) {
      return FolderError(Shown(path_, path.substr(0, end)), errno);
    }
    FileDescriptor inner(::openat(parent, name.c_str(), kPlace | O_NOFOLLOW));
    if (!inner.IsOpen() && errno == ENOTDIR) {
      return InvalidInput(Shown(path_, path.substr(0, end)) +
                          ": is a link or a file, must be a folder");
    }
    if (!inner.IsOpen()) return FolderError(Shown(path_, path.substr(0, end)), errno);
    entered = std::move(inner);
    parent = entered.Get();
    begin = end + 1;
  }
  if (::renameat(folder_.Get(), arrival_name_.c_str(), parent, path.substr(begin).c_str()) != 0) {
    return FolderError(Shown(path_, path), errno);
  }
  return {};
}

}  // namespace evenkeel::cli
