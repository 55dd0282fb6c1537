#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace evenkeel::support {

/// A folder on a disk that can lose power. While an instance exists, it is SQLite's default VFS,
/// and it receives the calls fsync, link, mkstemp, renameat2, unlink and write that the program
/// itself makes for files of the folder (the linker diverts them, see
/// tests/support/CMakeLists.txt). Files outside of the folder are not affected.
///
/// Each change is made to the real files at once and remembered until a sync makes it durable. At a
/// chosen operation the power fails: this operation and all later ones return an I/O error.
/// RestorePower then replaces the folder's content by what a disk may contain after such a failure:
///  - each sector written since the last sync of its file survives, is lost or contains garbage,
///    regardless of the order of the writes;
///  - each truncation since then survives or is lost;
///  - each creation, deletion, link and rename since the last sync of its folder survives or is
///  lost.
/// Synced bytes survive, except those beside a torn write in the same sector of a disk without
/// SQLITE_IOCAP_POWERSAFE_OVERWRITE.
///
/// As in SQLite's unix VFS, the first sync of a new write-ahead log or rollback journal syncs its
/// folder as well. There is no shared memory: a database that needs it cannot be opened.
/// Thread-safe. One instance at a time.
class PowerLossDisk {
 public:
  struct Options {
    bool powersafe_overwrite = true;
    std::size_t sector_bytes = 512;
    bool hard_links = true;            ///< false: link(2) fails, as on FAT
    bool ignores_file_sync = false;    ///< a defect that tests must detect
    bool ignores_folder_sync = false;  ///< likewise
  };

  /// `root` must be an empty folder; it outlives this. `seed` decides what survives.
  PowerLossDisk(const std::filesystem::path& root, const Options& options, std::uint64_t seed);
  ~PowerLossDisk();
  PowerLossDisk(const PowerLossDisk&) = delete;
  PowerLossDisk& operator=(const PowerLossDisk&) = delete;

  /// The power fails at the operation (write, truncate, sync, create, delete, link, rename) after
  /// the next `operations`.
  void LosePowerAfter(std::int64_t operations);
  /// The power fails now, unless it has failed already.
  void LosePower();
  [[nodiscard]] bool HasPower() const;
  /// Replaces the content of the folder by what survived. No file of it may be open.
  void RestorePower();

  class State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace evenkeel::support
