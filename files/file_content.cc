#include "files/file_content.h"

#include <absl/strings/escaping.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/base/splitmix.h"

namespace evenkeel::files {

std::size_t ChunkCount(std::int64_t size_bytes) {
  return static_cast<std::size_t>(size_bytes / kChunkBytes + (size_bytes % kChunkBytes != 0));
}

std::int64_t ChunkBytes(std::int64_t size_bytes, std::size_t place) {
  return std::min(kChunkBytes, size_bytes - static_cast<std::int64_t>(place) * kChunkBytes);
}

bool IsConsistent(const FileContent& content) {
  return content.size_bytes >= 0 && content.chunks.size() == ChunkCount(content.size_bytes);
}

std::uint64_t VersionKey(std::int64_t size_bytes, std::int64_t modified_nanoseconds) {
  return SplitMixAt(SplitMixHash(static_cast<std::uint64_t>(size_bytes)),
                    static_cast<std::uint64_t>(modified_nanoseconds));
}

std::string HexOf(const Sha256Digest& digest) {
  return absl::BytesToHexString({digest.data(), digest.size()});
}

Sha256Digest DigestOf(const FileContent& content) {
  std::string bytes = std::to_string(content.size_bytes) + ":";
  for (const Sha256Digest& chunk : content.chunks) bytes.append(chunk.data(), chunk.size());
  return protocol::Sha256Of(bytes);
}

Result<std::string> ReadChunk(const platform::FileDescriptor& file, std::int64_t size_bytes,
                              std::size_t place) {
  std::string chunk(static_cast<std::size_t>(ChunkBytes(size_bytes, place)), '\0');
  const off_t begin = static_cast<off_t>(place) * kChunkBytes;
  std::size_t done = 0;
  while (done < chunk.size()) {
    const ssize_t count = ::pread(file.Get(), chunk.data() + done, chunk.size() - done,
                                  begin + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Fail(ErrorCode::kUnavailable,
                  "cannot be read: " + std::generic_category().message(errno));
    }
    if (count == 0) return Fail(ErrorCode::kUnavailable, "ends too early");
    done += static_cast<std::size_t>(count);
  }
  return chunk;
}

Result<FileContent> ReadContent(const platform::FileDescriptor& file, std::int64_t size_bytes) {
  FileContent content{size_bytes, {}};
  const std::size_t count = ChunkCount(size_bytes);
  content.chunks.reserve(count);
  for (std::size_t place = 0; place < count; ++place) {
    const auto chunk = ReadChunk(file, size_bytes, place);
    if (!chunk) return tl::unexpected(chunk.error());
    content.chunks.push_back(protocol::Sha256Of(*chunk));
  }
  return content;
}

bool HasContent(const platform::FileDescriptor& file, const FileContent& content) {
  struct stat status {};
  if (::fstat(file.Get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (status.st_size != content.size_bytes || !IsConsistent(content)) return false;
  for (std::size_t place = 0; place < content.chunks.size(); ++place) {
    const auto chunk = ReadChunk(file, content.size_bytes, place);
    if (!chunk || protocol::Sha256Of(*chunk) != content.chunks[place]) return false;
  }
  return true;
}

int Append(const platform::FileDescriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.Get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace evenkeel::files
