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
#include <vector>

#include "core/base/error.h"
#include "files/cache_folder.h"
#include "files/chunk_places.h"
#include "files/file_content.h"
#include "files/partial_file.h"
#include "platform/file_descriptor.h"

namespace evenkeel::files {

/// Files in one folder of a node, named by their content, and the chunks in them. Each byte is
/// written once; what an interrupted transfer has brought is kept. The least recently used files
/// are removed first, and none that is in use. They survive the process. Several processes, also of
/// several nodes, may use one folder; each counts the bytes that it found at its start and those
/// that it has used. If the disk is full earlier, unused files are removed, too. Blocks on the
/// disk. Thread-safe.
class ChunkCache {
 public:
  struct Options {
    std::filesystem::path folder;
    std::int64_t limit_bytes = 0;
    /// Whether the digests of files that are here are checked at each use. Else only at the first
    /// use by this process: enough if tasks cannot write the files, because they run as another
    /// user.
    bool verify_each_use = true;
    /// Used instead of `folder` from the moment that this cannot be written; empty: none.
    std::filesystem::path fallback_folder{};
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

  /// Provides the chunk at a place of the requested file. Its digest is checked. Called by two
  /// threads at a time if the file has several chunks, and again for a chunk that it failed to
  /// provide before its turn. Should return soon when `stop` is requested.
  using Fetch = std::function<Result<Chunk>(std::size_t place, const std::stop_token& stop)>;

  /// Makes the folder if it is missing; removes what ended processes have left, except parts of
  /// files. kStorageFull, kUnavailable: the folder cannot be used, and the fallback neither.
  [[nodiscard]] static Result<std::unique_ptr<ChunkCache>> Open(Options options);
  /// Nothing may be pinned any more.
  ~ChunkCache();
  ChunkCache(const ChunkCache&) = delete;
  ChunkCache& operator=(const ChunkCache&) = delete;

  /// A file with this content. Fetches the chunks that no file here has, the next ones while one is
  /// checked and written; one thread at a time fetches a given chunk. A file that was not here gets
  /// `modified_nanoseconds` (since 1970; 0: now) as the time of its last change, so that
  /// VersionKeys tells which one it is. Waits; kUnavailable if `stop` is requested. kStorageFull:
  /// what is in use leaves no room, or the disk is full. kUnavailable also if `fetch` provides
  /// other bytes. Other errors are those of `fetch`. An error is returned when no call of `fetch`
  /// is in progress any more.
  [[nodiscard]] Result<Pin> Get(const FileContent& content, const Fetch& fetch,
                                const std::stop_token& stop, std::int64_t modified_nanoseconds = 0);
  /// A chunk of a file that is here, whole or in part; the file counts as used. Waits for one that
  /// is being fetched, at most for `patience`.
  [[nodiscard]] std::optional<Chunk> Find(
      const Sha256Digest& chunk, std::chrono::milliseconds patience = std::chrono::milliseconds(0));

  /// VersionKey of each file that was in the folder when this was opened, of at most
  /// kMaxVersionKeys those used last.
  [[nodiscard]] std::vector<std::uint64_t> VersionKeys() const;
  static constexpr std::size_t kMaxVersionKeys = 65'536;

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
  using Folder = std::shared_ptr<const CacheFolder>;

  /// A file that Get was asked for.
  struct Request {
    const std::string& name;
    const FileContent& content;
    const Fetch& fetch;
    std::int64_t modified_nanoseconds;
  };
  /// A file that is being made.
  struct Transfer {
    const CacheFolder& folder;
    PartialFile& file;
    const Request& request;
  };
  /// How the making of a file, or of a chunk of it, ended.
  struct Outcome {
    Result<void> result;
    bool unwritable = false;      // whether the error is one of writing to the folder
    std::int64_t kept_bytes = 0;  // of the part of the file that was kept; 0: none was
  };

  explicit ChunkCache(Options options) : options_(std::move(options)) {}
  /// Uses the folder, and what is in there, from now on. The lock must be held.
  Result<void> Use(const std::filesystem::path& path);
  /// After the folder could not be written: whether there is another one now. The lock must be
  /// held.
  bool UseFallback(const CacheFolder* failed, const Error& error);
  void Scan();
  /// Notes the chunks of files in the folder, of those used last.
  void NoteChunks();

  /// The entry's file if it is there and right; else forgets the entry. `made_now`: this thread has
  /// just written it and verified the bytes as it did.
  Pin PinEntry(Lock& lock, const std::string& name, const FileContent& content, bool made_now);
  /// Keeps a wrong file as a part of the right one, so that only its wrong chunks are fetched
  /// again. Does nothing if the file is in use.
  void KeepRightChunks(const std::string& name, const platform::FileDescriptor& file,
                       const FileContent& content);
  /// Reserves room and makes the file. The lock must be held; it is released meanwhile.
  Outcome MakeReserved(Lock& lock, const Request& request, const std::stop_token& stop);
  /// Writes the file under its name. Without the lock.
  Outcome Make(const CacheFolder& folder, const Request& request, const std::stop_token& stop);
  /// Brings one chunk into the file, from the cache or by its Fetch. Without the lock.
  Outcome PutChunk(const Transfer& transfer, std::size_t place, const std::stop_token& stop);
  /// The same while no other thread obtains the chunk.
  Outcome PutChunkAlone(const Transfer& transfer, std::size_t place, const std::stop_token& stop);
  static Outcome Unwritable(const CacheFolder& folder, int error_number);
  /// Writes a chunk; as long as the disk is full, removes unused files. Returns 0 or an errno.
  /// Without the lock.
  int WriteWithRoom(PartialFile& file, std::size_t place, const SharedBytes& bytes);
  [[nodiscard]] Pin OpenPinned(const std::string& name);
  /// Inserts a file that another process has made in the meantime, if there is one.
  void InsertFound(const std::string& name, std::int64_t bytes);
  void Insert(const std::string& name, std::int64_t bytes);
  void Forget(const std::string& name, bool remove);
  /// Unused files that have `bytes` together, or all of them; the oldest ones. The lock must be
  /// held, and for what follows, too.
  [[nodiscard]] std::vector<std::string> OldestUnused(std::int64_t bytes) const;
  /// Removes unused files, oldest first, until `bytes` more are within the limit.
  Result<void> MakeRoom(std::int64_t bytes);
  /// Removes unused files with so many bytes, or all of them. False if there were none.
  bool RemoveUnused(std::int64_t bytes);

  const Options options_;
  mutable std::mutex mutex_;  // guards what follows
  Folder folder_;
  Folder former_;  // before the fallback: files in there may be pinned
  std::condition_variable_any changed_;
  Entries entries_;
  std::set<std::string> making_;  // files that a thread makes or verifies
  std::set<Sha256Digest>
      obtaining_;                // chunks that a thread obtains, which waits for no other thread
  ChunkPlaces places_;           // of the chunks in files with several
  std::list<std::string> uses_;  // names; the one used last is at the end
  std::int64_t bytes_ = 0;
  std::uint64_t last_link_ = 0;
  std::vector<std::uint64_t> version_keys_;
};

}  // namespace evenkeel::files
