#include "launcher/task_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace evenkeel::launcher {
namespace {

// The user's image has no other rooms of the project, so this is not platform::FileDescriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int Get() const { return number_; }
  [[nodiscard]] int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using FolderStream = std::unique_ptr<DIR, CloseFolder>;

bool IsDots(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

std::vector<std::string> Components(std::string_view path) {
  std::vector<std::string> components;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    components.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return components;
}

Descriptor OpenFolder(const std::string& folder) {
  return Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Descriptor EnterFolder(const Descriptor& parent, const char* name, bool follow_links) {
  const int links = follow_links ? 0 : O_NOFOLLOW;
  return Descriptor(::openat(parent.Get(), name, O_PATH | O_DIRECTORY | O_CLOEXEC | links));
}

FileStatus StatusOf(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::kFound;
  if (S_ISLNK(mode)) return FileStatus::kLink;
  if (S_ISDIR(mode)) return FileStatus::kFolder;
  if (S_ISSOCK(mode)) return FileStatus::kSocket;
  if (S_ISFIFO(mode)) return FileStatus::kFifo;
  return FileStatus::kDevice;
}

/// Opens the list of entries of the folder that `place` refers to; null and errno: it cannot be
/// read.
FolderStream ReadFolder(int place) {
  Descriptor readable(::openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FolderStream entries(readable.Get() >= 0 ? ::fdopendir(readable.Get()) : nullptr);
  if (entries) static_cast<void>(readable.Release());  // closed with the stream
  return entries;
}

LookedUpFile Failed(int error) { return {FileStatus::kFailed, error, -1, 0}; }

}  // namespace

LookedUpFile OpenRegularFile(const std::string& folder, const std::string& path) {
  Descriptor parent = OpenFolder(folder);
  const std::vector<std::string> components = Components(path);
  for (std::size_t n = 0; n + 1 < components.size() && parent.Get() >= 0; ++n) {
    parent = EnterFolder(parent, components[n].c_str(), false);
  }
  struct stat status {};
  const char* const name = components.back().c_str();
  // A device is not even opened: that may have effects.
  if (parent.Get() < 0 || ::fstatat(parent.Get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return Failed(errno);
  }
  if (!S_ISREG(status.st_mode)) return {StatusOf(status.st_mode), 0, -1, 0};
  Descriptor file(
      ::openat(parent.Get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.Get() < 0 || ::fstat(file.Get(), &status) != 0) return Failed(errno);
  if (!S_ISREG(status.st_mode)) return {StatusOf(status.st_mode), 0, -1, 0};  // it was replaced
  return {FileStatus::kFound, 0, file.Release(), status.st_size};
}

namespace {

/// A walk along the components of a glob.
class Walk {
 public:
  explicit Walk(const Search& search) : search_(search), components_(Components(search.glob)) {}

  FoundFiles Run() {
    const Descriptor root = OpenFolder(search_.folder);
    if (root.Get() < 0) {
      found_.status = FileStatus::kFailed;
      found_.error = errno;
      return std::move(found_);
    }
    Visit(root, 0, "");
    std::sort(found_.paths.begin(), found_.paths.end());
    if (found_.status != FileStatus::kFound) found_.paths.clear();
    return std::move(found_);
  }

 private:
  void Visit(const Descriptor& folder, std::size_t depth, const std::string& prefix) {
    const std::string& component = components_[depth];
    const bool last = depth + 1 == components_.size();
    if (!last && component.find_first_of("*?[\\") == component.npos) {
      const Descriptor inner = EnterFolder(folder, component.c_str(), search_.follow_links);
      if (inner.Get() >= 0) Visit(inner, depth + 1, prefix + component + "/");
      return;
    }
    const FolderStream entries = ReadFolder(folder.Get());
    if (!entries) return Fail(errno);
    while (const dirent* entry = ::readdir(entries.get())) {
      if (found_.status != FileStatus::kFound) return;
      if (IsDots(entry->d_name)) continue;
      if (::fnmatch(component.c_str(), entry->d_name, FNM_PERIOD) != 0) continue;
      const Descriptor inner = EnterFolder(folder, entry->d_name, search_.follow_links);
      if (last) {
        if (inner.Get() < 0) Add(prefix + entry->d_name);
      } else if (inner.Get() >= 0) {
        Visit(inner, depth + 1, prefix + entry->d_name + "/");
      }
    }
  }

  void Fail(int error) {
    if (error == ENOENT) return;  // it has just gone
    found_.status = FileStatus::kFailed;
    found_.error = error;
  }

  void Add(std::string path) {
    bytes_ += path.size();
    if (found_.paths.size() == search_.max_files || bytes_ > kMaxPathsBytes) {
      found_.status = FileStatus::kTooMany;
      return;
    }
    found_.paths.push_back(std::move(path));
  }

  const Search& search_;
  const std::vector<std::string> components_;
  FoundFiles found_;
  std::size_t bytes_ = 0;  // of all paths
};

}  // namespace

FoundFiles FindFiles(const Search& search) { return Walk(search).Run(); }

namespace {

/// Empties a folder. Instead of descending, it moves the folders that are in a folder up into the
/// first one, so that the depth does not matter.
class Removal {
 public:
  Removal(int top, std::chrono::steady_clock::time_point end) : top_(top), end_(end) {}

  /// 0, or an errno.
  int Run() {
    for (;;) {
      const int done = Pass();
      if (done != kMore) return done;
    }
  }

 private:
  static constexpr int kMore = -1;  // something was removed; there may be more

  int Pass() {
    const FolderStream entries = ReadFolder(top_);
    if (!entries) return errno == ENOENT ? 0 : errno;  // another process removes it, too
    bool any = false;
    while (const dirent* entry = ::readdir(entries.get())) {
      if (IsDots(entry->d_name)) continue;
      if (std::chrono::steady_clock::now() >= end_) return ETIMEDOUT;
      any = true;
      if (const int error = Remove(entry->d_name); error != 0) return error;
    }
    return any ? kMore : 0;
  }

  int Remove(const char* name) {
    if (::unlinkat(top_, name, 0) == 0 || errno == ENOENT) return 0;
    const int as_file = errno;
    if (::unlinkat(top_, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return 0;
    if (errno == ENOTDIR) return as_file;
    const Descriptor folder = Open(top_, name);
    if (folder.Get() < 0) return errno == ENOENT ? 0 : errno;
    if (const int error = Raise(folder.Get()); error != 0) return error;
    const bool gone = ::unlinkat(top_, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
    return gone || errno == ENOTEMPTY ? 0 : errno;  // ENOTEMPTY: a process writes there
  }

  /// A folder that may be read and written, if it belongs to this user.
  static Descriptor Open(int parent, const char* name) {
    Descriptor place(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    // The number stands for just this folder, even if its name has become a link.
    if (place.Get() >= 0) {
      const std::string itself = "/proc/self/fd/" + std::to_string(place.Get());
      static_cast<void>(::chmod(itself.c_str(), S_IRWXU));  // others' folders may be open to us
    }
    return place;
  }

  /// Removes the files of a folder and moves its folders to the top.
  int Raise(int folder) {
    const FolderStream entries = ReadFolder(folder);
    if (!entries) return errno == ENOENT ? 0 : errno;
    while (const dirent* entry = ::readdir(entries.get())) {
      if (IsDots(entry->d_name)) continue;
      if (std::chrono::steady_clock::now() >= end_) return ETIMEDOUT;
      if (::unlinkat(folder, entry->d_name, 0) == 0 || errno == ENOENT) continue;
      const int as_file = errno;
      if (::unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT) continue;
      if (errno == ENOTDIR) return as_file;
      static_cast<void>(Open(folder, entry->d_name));  // it must be writable to be moved
      if (const int error = Move(folder, entry->d_name); error != 0) return error;
    }
    return 0;
  }

  int Move(int folder, const char* name) {
    for (;;) {
      const std::string free = ".removed-" + std::to_string(++moved_);
      if (::renameat(folder, name, top_, free.c_str()) == 0 || errno == ENOENT) return 0;
      const bool taken = errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR;
      if (!taken) return errno;
    }
  }

  const int top_;
  const std::chrono::steady_clock::time_point end_;
  std::uint64_t moved_ = 0;
};

}  // namespace

int RemoveFolder(const std::string& folder, std::chrono::seconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return 0;
    const Descriptor top(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (top.Get() < 0) return errno == ENOENT ? 0 : errno;
    const std::string itself = "/proc/self/fd/" + std::to_string(top.Get());
    static_cast<void>(::chmod(itself.c_str(), S_IRWXU));
    const int error = Removal(top.Get(), end).Run();
    if (error != 0) return error;
    const bool gone = ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
    if (gone || errno == EACCES || errno == EPERM) return 0;
    if (errno != ENOTEMPTY) return errno;  // else a process has just written there
  }
}

}  // namespace evenkeel::launcher
