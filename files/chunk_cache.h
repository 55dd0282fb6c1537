#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "files/file_content.h"
#include "platform/file_descriptor.h"

namespace evenkeel::files {

/// Files and chunks in one folder of a node, named by their content. The least recently used ones
/// are removed first, and none that is in use. They survive the process. Several processes may use
/// one folder; each counts its own bytes and those that it found at its start.
/// Blocks on the disk. Thread-safe.
class ChunkCache {
 public:
  struct Options {
    std::filesystem::path folder;
    std::int64_t limit_bytes = 0;
    /// Whether the digests are checked at each use. Else only at the first use by this process:
    /// enough if tasks cannot write the files, because they run as another user.
    bool verify_each_use = true;
  };

  /// A file in the folder that is not removed or replaced while this is held, not even by other
  /// processes. It must not be changed. The cache must outlive it.
  class Pinned {
   public:
    Pinned(std::filesystem::path path, bool link) : path_(std::move(path)), link_(link) {}
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    [[nodiscard]] const std::filesystem::path& Path() const { return path_; }

   private:
    const std::filesystem::path path_;
    const bool link_;  // whether the path is a link of this process, removed with this
  };
  using Pin = std::shared_ptr<const Pinned>;

  /// Provides the bytes of the chunk at a place of the requested file.
  using Fetch = std::function<Result<std::string>(std::size_t place)>;

  /// Makes the folder if it is missing; removes what ended processes have left unfinished.
  /// kStorageFull, kUnavailable: the folder cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<ChunkCache>> Open(Options options);
  /// Nothing may be pinned any more.
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// A file with this content. Fetches the chunks that are missing; one thread at a time fetches a
  /// given chunk. Waits; kUnavailable if `stop` is requested. kStorageFull: what is in use leaves
  /// no room, or the disk is full. kUnavailable also if `fetch` provides other bytes. Other errors
  /// are those of `fetch`.
  [[nodiscard]] Result<Pin> Get(const FileContent& content, const Fetch& fetch,
                                const std::stop_token& stop);
  /// A chunk that is here and has the digest; it counts as used. Waits for one that is being
  /// fetched, at most for `patience`.
  [[nodiscard]] std::optional<std::string> Find(
      const Sha256Digest& chunk, std::chrono::milliseconds patience = std::chrono::milliseconds(0));

  [[nodiscard]] std::int64_t LimitBytes() const { return options_.limit_bytes; }
  /// Bytes of all files that are here or on their way.
  [[nodiscard]] std::int64_t Bytes() const;

 private:
  struct Entry {
    std::int64_t bytes = 0;
    bool verified = false;
    std::weak_ptr<const Pinned> pin;
    std::list<std::string>::iterator use;  // place in uses_
  };
  using Entries = std::map<std::string, Entry>;
  using Lock = std::unique_lock<std::mutex>;

  explicit ChunkCache(Options options) : options_(std::move(options)) {}
  Result<void> MakeFolders();
  void RemoveEndedProcesses() const;
  Result<void> Scan();

  Result<Pin> GetNamed(const std::string& name, const FileContent& content, const Fetch& fetch,
                       const std::stop_token& stop);
  /// The entry's file if it is there and right; else forgets the entry.
  Pin PinEntry(Lock& lock, const std::string& name, const FileContent& content);
  /// Writes the file under its name, from the cache or by `fetch`. Without the lock.
  Result<void> Make(const std::string& name, const FileContent& content, const Fetch& fetch,
                    const std::stop_token& stop);
  [[nodiscard]] Pin OpenPinned(const std::string& name);
  void Insert(const std::string& name, std::int64_t bytes);
  void Forget(const std::string& name, bool remove);
  /// Removes unused files, oldest first, until `bytes` more fit. The lock must be held.
  Result<void> MakeRoom(std::int64_t bytes);

  const Options options_;
  std::filesystem::path own_;  // folder of this process: unfinished files, and links for pins
  platform::FileDescriptor own_lock_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  Entries entries_;
  std::set<std::string> making_;
  std::list<std::string> uses_;  // names; the one used last is at the end
  std::int64_t bytes_ = 0;
  std::uint64_t last_link_ = 0;
};

}  // namespace evenkeel::files
