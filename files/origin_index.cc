#include "files/origin_index.h"

#include <absl/container/flat_hash_map.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <utility>

#include "core/base/printable.h"
#include "workloads/folder_file.h"

namespace evenkeel::files {
namespace {

using PathKey = std::array<std::uint64_t, 2>;  // half of the digest of a path

tl::unexpected<Error> InputError(const std::string& path, const std::string& what) {
  constexpr std::size_t kShownBytes = 300;
  return InvalidInput("input " + PrintableAscii(path, kShownBytes) + ": " + what);
}

template <typename T>
T FirstBytes(const std::string& bytes) {
  const Sha256Digest digest = protocol::Sha256Of(bytes);
  T first;
  static_assert(sizeof first <= sizeof digest);
  std::memcpy(&first, digest.data(), sizeof first);
  return first;
}

/// A file as it was opened.
struct OpenFile {
  platform::FileDescriptor descriptor;
  std::int64_t size_bytes = 0;
  std::uint64_t version = 0;  ///< differs if the size, the time of modification or the inode does
};

/// Nothing if the state of the file cannot be read.
bool UpdateStatus(OpenFile& file) {
  struct stat status {};
  if (::fstat(file.descriptor.Get(), &status) != 0) return false;
  file.size_bytes = status.st_size;
  file.version = FirstBytes<std::uint64_t>(
      std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + ' ' +
      std::to_string(status.st_mtim.tv_nsec) + ' ' + std::to_string(status.st_ino) + ' ' +
      std::to_string(status.st_dev));
  return true;
}

Result<OpenFile> Open(const std::filesystem::path& folder, const std::string& path) {
  if (path.empty() || path.find('\0') != path.npos || path.find('\n') != path.npos) {
    return InputError(path, "must not be empty or contain a line break or a NUL");
  }
  auto opened = workloads::OpenFolderFile(folder, path, true);
  if (!opened) return InputError(path, opened.error().message);
  OpenFile file{std::move(*opened), 0, 0};
  if (!UpdateStatus(file)) return InputError(path, "cannot be read");
  return file;
}

std::size_t BytesOf(const std::string& path, const FileContent& content) {
  constexpr std::size_t kOfTables = 256;  // nodes of the list and the map
  return kOfTables + 2 * path.size() + content.chunks.size() * sizeof(Sha256Digest);
}

}  // namespace

struct OriginIndex::Versions {
  absl::flat_hash_map<PathKey, std::uint64_t> by_path;
};

OriginIndex::OriginIndex(Options options)
    : options_(std::move(options)), versions_(std::make_unique<Versions>()) {}

OriginIndex::~OriginIndex() = default;

Result<FileContent> OriginIndex::ContentOf(const std::string& path) {
  auto file = Open(options_.folder, path);
  if (!file) return tl::unexpected(file.error());
  {
    std::unique_lock lock(mutex_);
    read_.wait(lock, [&] { return !reading_.contains(path); });
    if (auto same = CheckVersion(path, file->version); !same) return tl::unexpected(same.error());
    if (const auto found = by_path_.find(path); found != by_path_.end()) {
      remembered_.splice(remembered_.end(), remembered_, found->second);
      return found->second->content;
    }
    reading_.insert(path);
  }
  const std::uint64_t before = file->version;
  auto content = ReadContent(file->descriptor, file->size_bytes);
  const bool same = UpdateStatus(*file) && file->version == before;
  {
    const std::lock_guard lock(mutex_);
    reading_.erase(path);
    if (content && same) Remember(path, *content);
  }
  read_.notify_all();
  if (!same) return InputError(path, "changed while the job ran");
  if (!content) return InputError(path, content.error().message);
  return content;
}

Result<SharedBytes> OriginIndex::Read(const std::string& path, std::size_t place,
                                      const Sha256Digest& digest) {
  auto file = Open(options_.folder, path);
  if (!file) return tl::unexpected(file.error());
  {
    const std::lock_guard lock(mutex_);
    if (auto same = CheckVersion(path, file->version); !same) return tl::unexpected(same.error());
  }
  if (place >= ChunkCount(file->size_bytes)) return InputError(path, "has no such chunk");
  const auto chunk = ReadChunk(file->descriptor, file->size_bytes, place);
  if (!chunk) return InputError(path, chunk.error().message);
  // Writers through a memory map need not change the time of modification at once.
  if (chunk->Digest() != digest) return InputError(path, "changed while the job ran");
  return chunk->Bytes();
}

Result<void> OriginIndex::CheckVersion(const std::string& path, std::uint64_t version) {
  const auto key = FirstBytes<PathKey>(path);
  const auto found = versions_->by_path.find(key);
  if (found != versions_->by_path.end()) {
    return found->second == version ? Result<void>()
                                    : InputError(path, "changed while the job ran");
  }
  if (versions_->by_path.size() >= options_.max_files) {
    return InputError(path, "the job has more than " + std::to_string(options_.max_files) +
                                " different input files");
  }
  versions_->by_path.emplace(key, version);
  return {};
}

void OriginIndex::Remember(const std::string& path, const FileContent& content) {
  remembered_bytes_ += BytesOf(path, content);
  by_path_[path] = remembered_.insert(remembered_.end(), {path, content});
  while (remembered_bytes_ > options_.max_remembered_bytes) {
    const Remembered& oldest = remembered_.front();
    remembered_bytes_ -= BytesOf(oldest.path, oldest.content);
    by_path_.erase(oldest.path);
    remembered_.pop_front();
  }
}

}  // namespace evenkeel::files
