#include "tests/support/power_loss_disk.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/rng.h"

namespace evenkeel::support {
namespace {

using std::filesystem::path;

/// One change of a file's content that is not durable yet.
struct Change {
  bool truncates = false;
  std::size_t offset = 0;  ///< of the write, or the new size
  std::string bytes{};
};

/// The content of a file, which may have several names, or a folder.
struct File {
  bool is_folder = false;
  std::string durable{};
  std::vector<Change> changes{};  ///< since the last sync
};
using FilePtr = std::shared_ptr<File>;

/// Name changes that take effect together. A null file deletes the name.
using NameChange = std::vector<std::pair<path, FilePtr>>;
using Names = std::map<path, FilePtr>;

void Overwrite(std::string& content, std::size_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size(), '\0');
  content.replace(offset, bytes.size(), bytes);
}

void Apply(const Change& change, std::string& content) {
  if (change.truncates) {
    content.resize(change.offset, '\0');
  } else {
    Overwrite(content, change.offset, change.bytes);
  }
}

void Apply(const NameChange& change, Names& names) {
  for (const auto& [name, file] : change) {
    if (file) {
      names[name] = file;
    } else {
      names.erase(name);
    }
  }
}

std::string Garbage(std::size_t size, Rng& rng) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng.Next());
  return bytes;
}

}  // namespace

class PowerLossDisk::State {
 public:
  State(const path& root, const Options& options, std::uint64_t seed)
      : root_(std::filesystem::canonical(root)), options_(options), rng_(seed) {}

  [[nodiscard]] const Options& options() const { return options_; }

  [[nodiscard]] bool Contains(const path& name) const {
    const std::string prefix = root_.string() + "/";
    return name == root_ || name.string().compare(0, prefix.size(), prefix) == 0;
  }

  /// Whether the disk's folder lies in or below this one.
  [[nodiscard]] bool IsBelow(const path& folder) const {
    const auto [end, _] = std::mismatch(folder.begin(), folder.end(), root_.begin(), root_.end());
    return end == folder.end();
  }

  void LosePowerAfter(std::int64_t operations) {
    const std::lock_guard lock(mutex_);
    operations_left_ = operations;
  }

  void LosePower() {
    const std::lock_guard lock(mutex_);
    TurnOff();
  }

  [[nodiscard]] bool HasPower() const {
    const std::lock_guard lock(mutex_);
    return has_power_;
  }

  /// The file of this name; null if there is none.
  [[nodiscard]] FilePtr Find(const path& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second;
  }

  // Operations. Each returns whether the caller shall perform it on the real files; if not, the
  // power is off.

  [[nodiscard]] bool Modify(const FilePtr& file, Change change) {
    const std::lock_guard lock(mutex_);
    if (!has_power_) return false;
    file->changes.push_back(std::move(change));
    return Count();
  }

  [[nodiscard]] bool ChangeNames(NameChange change) {
    const std::lock_guard lock(mutex_);
    if (!has_power_) return false;
    for (const auto& [name, file] : change) AddFoldersOf(name);
    name_changes_.push_back(change);
    if (!Count()) return false;
    Apply(change, names_);
    return true;
  }

  [[nodiscard]] bool Sync(const FilePtr& file) {
    const std::lock_guard lock(mutex_);
    if (!has_power_ || !Count()) return false;
    if (options_.ignores_file_sync) return true;
    for (const auto& change : file->changes) Apply(change, file->durable);
    file->changes.clear();
    return true;
  }

  [[nodiscard]] bool SyncFolder(const path& folder) {
    const std::lock_guard lock(mutex_);
    if (!has_power_ || !Count()) return false;
    if (options_.ignores_folder_sync) return true;
    NoteRemovedFiles();
    std::vector<NameChange> kept;
    for (NameChange& change : name_changes_) {
      if (change.front().first.parent_path() == folder) {
        Apply(change, durable_names_);
      } else {
        kept.push_back(std::move(change));
      }
    }
    name_changes_ = std::move(kept);
    return true;
  }

  void RestorePower() {
    const std::lock_guard lock(mutex_);
    EVENKEEL_CHECK(!has_power_, "the power is on");
    DrawSurvivors();
    for (const auto& entry : std::filesystem::directory_iterator(root_)) {
      std::filesystem::remove_all(entry);
    }
    std::map<File*, path> written;
    for (const auto& [name, file] : names_) {  // a folder comes before its content
      const auto [first, is_new] = written.emplace(file.get(), name);
      if (file->is_folder) {
        std::filesystem::create_directory(name);
      } else if (is_new) {
        std::ofstream(name, std::ios::binary) << file->durable;
      } else {
        std::filesystem::create_hard_link(first->second, name);
      }
    }
    has_power_ = true;
    operations_left_ = -1;
  }

 private:
  /// Counts one operation. False if the power fails during it.
  bool Count() {
    if (operations_left_ < 0 || operations_left_-- > 0) return true;
    TurnOff();
    return false;
  }

  void TurnOff() {
    if (has_power_) NoteRemovedFiles();
    has_power_ = false;
  }

  /// The standard library creates folders; its calls are not diverted.
  void AddFoldersOf(const path& name) {
    const path folder = name.parent_path();
    if (folder == root_ || names_.contains(folder)) return;
    AddFoldersOf(folder);
    const NameChange change{{folder, std::make_shared<File>(File{.is_folder = true})}};
    Apply(change, names_);
    name_changes_.push_back(change);
  }

  /// The standard library deletes some files, too.
  void NoteRemovedFiles() {
    NameChange removed;
    for (const auto& [name, file] : names_) {
      if (access(name.c_str(), F_OK) != 0) removed.emplace_back(name, nullptr);
    }
    for (const auto& name : removed) {
      Apply({name}, names_);
      name_changes_.push_back({name});
    }
  }

  void DrawSurvivors() {
    // The extremes are drawn often: each is a separate case.
    constexpr double kChances[] = {0, 0, 0.1, 0.5, 0.9, 1};
    const double name_survives = kChances[rng_.Below(std::size(kChances))];
    for (const NameChange& change : name_changes_) {
      if (rng_.Chance(name_survives)) Apply(change, durable_names_);
    }
    name_changes_.clear();
    for (auto entry = durable_names_.begin(); entry != durable_names_.end();) {
      const path folder = entry->first.parent_path();
      const bool has_folder = folder == root_ || durable_names_.contains(folder);
      entry = has_folder ? std::next(entry) : durable_names_.erase(entry);
    }
    names_ = durable_names_;

    const double sector_survives = kChances[rng_.Below(std::size(kChances))];
    const double sector_torn = rng_.Chance(0.3) ? 0.2 : 0;
    for (const auto& [name, file] : names_) {
      for (const auto& change : file->changes) {
        if (change.truncates) {
          if (rng_.Chance(sector_survives)) Apply(change, file->durable);
        } else {
          Tear(change, sector_survives, sector_torn, file->durable);
        }
      }
      file->changes.clear();
    }
  }

  void Tear(const Change& write, double survives, double torn, std::string& content) {
    const std::size_t end = write.offset + write.bytes.size();
    for (std::size_t at = write.offset; at < end;) {
      const std::size_t sector = at - at % options_.sector_bytes;
      const std::size_t part_end = std::min(end, sector + options_.sector_bytes);
      const std::string_view part =
          std::string_view(write.bytes).substr(at - write.offset, part_end - at);
      if (rng_.Chance(torn)) {
        const bool spreads = !options_.powersafe_overwrite;
        const std::size_t from = spreads ? sector : at;
        const std::size_t to =
            spreads ? std::min(sector + options_.sector_bytes, std::max(content.size(), part_end))
                    : part_end;
        Overwrite(content, from, Garbage(to - from, rng_));
      } else if (rng_.Chance(survives)) {
        Overwrite(content, at, part);
      }
      at = part_end;
    }
  }

  const path root_;
  const Options options_;
  mutable std::mutex mutex_;  // guards everything below and the content of all files
  Rng rng_;
  bool has_power_ = true;
  std::int64_t operations_left_ = -1;  // negative: the power does not fail
  Names names_;
  Names durable_names_;
  std::vector<NameChange> name_changes_;  // since the last sync of each folder
};

namespace {

std::atomic<PowerLossDisk::State*> current_disk = nullptr;

/// The disk that holds `name`; null if that is none.
PowerLossDisk::State* DiskOf(const path& name) {
  PowerLossDisk::State* disk = current_disk.load();
  return disk != nullptr && disk->Contains(name) ? disk : nullptr;
}

/// Folders above the disk's are durable: to sync them would only take time.
bool IsAboveDisk(const path& name) {
  PowerLossDisk::State* disk = current_disk.load();
  return disk != nullptr && disk->IsBelow(name);
}

path NameOf(int fd) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
}

// SQLite's VFS: the unix VFS makes the changes and locks the files.

struct OpenFile {
  PowerLossDisk::State* disk = nullptr;
  FilePtr file{};  ///< null if the file is not on the disk
  path folder{};
  bool syncs_folder = false;  ///< with the next sync
};

/// The object that SQLite allocates; the file of the unix VFS follows it in memory.
struct VfsFile {
  sqlite3_file base;
  OpenFile* open;
};

OpenFile& Opened(sqlite3_file* file) { return *reinterpret_cast<VfsFile*>(file)->open; }
sqlite3_file* RealFile(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<VfsFile*>(file) + 1);
}
const sqlite3_io_methods& Real(sqlite3_file* file) { return *RealFile(file)->pMethods; }
sqlite3_vfs* UnixVfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  return vfs;
}

int Close(sqlite3_file* file) {
  const int result = Real(file).xClose(RealFile(file));
  delete &Opened(file);
  return result;
}
int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return Real(file).xRead(RealFile(file), bytes, size, offset);
}
int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const OpenFile& open = Opened(file);
  const auto length = static_cast<std::size_t>(size);
  if (open.file && !open.disk->Modify(open.file, {false,
                                                  static_cast<std::size_t>(offset),
                                                  {static_cast<const char*>(bytes), length}})) {
    return SQLITE_IOERR_WRITE;
  }
  return Real(file).xWrite(RealFile(file), bytes, size, offset);
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const OpenFile& open = Opened(file);
  if (open.file && !open.disk->Modify(open.file, {true, static_cast<std::size_t>(size), {}})) {
    return SQLITE_IOERR_TRUNCATE;
  }
  return Real(file).xTruncate(RealFile(file), size);
}
int Sync(sqlite3_file* file, int flags) {
  OpenFile& open = Opened(file);
  if (!open.file) return Real(file).xSync(RealFile(file), flags);
  if (!open.disk->Sync(open.file)) return SQLITE_IOERR_FSYNC;
  if (open.syncs_folder && !open.disk->SyncFolder(open.folder)) return SQLITE_IOERR_DIR_FSYNC;
  open.syncs_folder = false;
  return SQLITE_OK;
}
int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file).xFileSize(RealFile(file), size);
}
int Lock(sqlite3_file* file, int level) { return Real(file).xLock(RealFile(file), level); }
int Unlock(sqlite3_file* file, int level) { return Real(file).xUnlock(RealFile(file), level); }
int CheckReservedLock(sqlite3_file* file, int* result) {
  return Real(file).xCheckReservedLock(RealFile(file), result);
}
int FileControl(sqlite3_file* file, int operation, void* argument) {
  return Real(file).xFileControl(RealFile(file), operation, argument);
}
int SectorSize(sqlite3_file* file) {
  const OpenFile& open = Opened(file);
  return open.file ? static_cast<int>(open.disk->options().sector_bytes)
                   : Real(file).xSectorSize(RealFile(file));
}
int DeviceCharacteristics(sqlite3_file* file) {
  const OpenFile& open = Opened(file);
  if (!open.file) return Real(file).xDeviceCharacteristics(RealFile(file));
  return open.disk->options().powersafe_overwrite ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0;
}

// Version 1 has neither shared memory nor memory-mapped reads.
constexpr sqlite3_io_methods kMethods{1,
                                      Close,
                                      Read,
                                      Write,
                                      Truncate,
                                      Sync,
                                      FileSize,
                                      Lock,
                                      Unlock,
                                      CheckReservedLock,
                                      FileControl,
                                      SectorSize,
                                      DeviceCharacteristics,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr};

int OpenOnDisk(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  auto open = std::make_unique<OpenFile>();
  PowerLossDisk::State* const disk = name == nullptr ? nullptr : DiskOf(name);
  if (disk != nullptr) {
    const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
    FilePtr content = disk->Find(name);
    if (!content && creates) {
      content = std::make_shared<File>();
      if (!disk->ChangeNames({{name, content}})) return SQLITE_CANTOPEN;
    }
    constexpr int kLogs = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
    *open = {disk, std::move(content), path(name).parent_path(), creates && (flags & kLogs) != 0};
  }
  const int result = UnixVfs()->xOpen(UnixVfs(), name, RealFile(file), flags, out_flags);
  if (RealFile(file)->pMethods == nullptr) return result;
  reinterpret_cast<VfsFile*>(file)->open = open.release();
  file->pMethods = &kMethods;
  return result;
}

int Delete(sqlite3_vfs*, const char* name, int syncs_folder) {
  PowerLossDisk::State* const disk = DiskOf(name);
  if (disk == nullptr || !disk->Find(name)) return UnixVfs()->xDelete(UnixVfs(), name, 0);
  if (!disk->ChangeNames({{name, nullptr}})) return SQLITE_IOERR_DELETE;
  const int result = UnixVfs()->xDelete(UnixVfs(), name, 0);
  if (result == SQLITE_OK && syncs_folder != 0 && !disk->SyncFolder(path(name).parent_path())) {
    return SQLITE_IOERR_DIR_FSYNC;
  }
  return result;
}

sqlite3_vfs MakeVfs() {
  sqlite3_vfs vfs = *UnixVfs();
  vfs.iVersion = 1;
  vfs.szOsFile += static_cast<int>(sizeof(VfsFile));
  vfs.pNext = nullptr;
  vfs.zName = "power-loss";
  vfs.xOpen = OpenOnDisk;
  vfs.xDelete = Delete;
  return vfs;
}

sqlite3_vfs* ThisVfs() {
  static sqlite3_vfs vfs = MakeVfs();
  return &vfs;
}

}  // namespace

PowerLossDisk::PowerLossDisk(const path& root, const Options& options, std::uint64_t seed)
    : state_(std::make_unique<State>(root, options, seed)) {
  sqlite3_initialize();
  EVENKEEL_CHECK(current_disk.exchange(state_.get()) == nullptr, "one disk at a time");
  sqlite3_vfs_register(ThisVfs(), 1);
}

PowerLossDisk::~PowerLossDisk() {
  sqlite3_vfs_unregister(ThisVfs());
  current_disk = nullptr;
}

void PowerLossDisk::LosePowerAfter(std::int64_t operations) { state_->LosePowerAfter(operations); }
void PowerLossDisk::LosePower() { state_->LosePower(); }
bool PowerLossDisk::HasPower() const { return state_->HasPower(); }
void PowerLossDisk::RestorePower() { state_->RestorePower(); }

}  // namespace evenkeel::support

// Calls of the program itself, diverted by the linker's option --wrap.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

int __real_fsync(int fd);
int __real_link(const char* from, const char* to);
int __real_mkstemp(char* name);
int __real_renameat2(int from_folder, const char* from, int to_folder, const char* to,
                     unsigned int flags);
int __real_unlink(const char* name);
ssize_t __real_write(int fd, const void* bytes, size_t size);

int __wrap_fsync(int fd);
int __wrap_link(const char* from, const char* to);
int __wrap_mkstemp(char* name);
int __wrap_renameat2(int from_folder, const char* from, int to_folder, const char* to,
                     unsigned int flags);
int __wrap_unlink(const char* name);
ssize_t __wrap_write(int fd, const void* bytes, size_t size);

}  // extern "C"

namespace {

using evenkeel::support::DiskOf;

int PowerIsOff() {
  errno = EIO;
  return -1;
}

}  // namespace

int __wrap_fsync(int fd) {
  const auto name = evenkeel::support::NameOf(fd);
  auto* const disk = DiskOf(name);
  if (disk == nullptr) return evenkeel::support::IsAboveDisk(name) ? 0 : __real_fsync(fd);
  const auto file = disk->Find(name);
  const bool is_folder = !file || file->is_folder;
  return (is_folder ? disk->SyncFolder(name) : disk->Sync(file)) ? 0 : PowerIsOff();
}

int __wrap_link(const char* from, const char* to) {
  auto* const disk = DiskOf(to);
  if (disk == nullptr) return __real_link(from, to);
  if (!disk->options().hard_links) {
    errno = EPERM;
    return -1;
  }
  if (disk->Find(to)) return __real_link(from, to);
  return disk->ChangeNames({{to, disk->Find(from)}}) ? __real_link(from, to) : PowerIsOff();
}

int __wrap_mkstemp(char* name) {
  auto* const disk = DiskOf(name);
  if (disk == nullptr) return __real_mkstemp(name);
  if (!disk->HasPower()) return PowerIsOff();
  const int fd = __real_mkstemp(name);
  if (fd < 0) return fd;
  if (disk->ChangeNames({{name, std::make_shared<evenkeel::support::File>()}})) return fd;
  close(fd);
  return PowerIsOff();
}

int __wrap_renameat2(int from_folder, const char* from, int to_folder, const char* to,
                     unsigned int flags) {
  auto* const disk = DiskOf(to);
  const auto perform = [&] { return __real_renameat2(from_folder, from, to_folder, to, flags); };
  if (disk == nullptr || disk->Find(to)) return perform();
  const bool allowed = disk->ChangeNames({{to, disk->Find(from)}, {from, nullptr}});
  return allowed ? perform() : PowerIsOff();
}

int __wrap_unlink(const char* name) {
  auto* const disk = DiskOf(name);
  if (disk == nullptr || !disk->Find(name)) return __real_unlink(name);
  return disk->ChangeNames({{name, nullptr}}) ? __real_unlink(name) : PowerIsOff();
}

ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  const auto name = evenkeel::support::NameOf(fd);
  auto* const disk = DiskOf(name);
  const auto file = disk == nullptr ? nullptr : disk->Find(name);
  if (!file) return __real_write(fd, bytes, size);
  const auto offset = static_cast<std::size_t>(lseek(fd, 0, SEEK_CUR));
  const bool written = disk->Modify(file, {false, offset, {static_cast<const char*>(bytes), size}});
  return written ? __real_write(fd, bytes, size) : PowerIsOff();
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
