#include "files/file_content.h"

#include <absl/strings/escaping.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <span>
#include <string_view>
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

Result<Chunk> ReadChunk(const platform::FileDescriptor& file, std::int64_t size_bytes,
                        std::size_t place) {
  const auto size = static_cast<std::size_t>(ChunkBytes(size_bytes, place));
  auto bytes = std::make_shared_for_overwrite<char[]>(size);
  const off_t begin = static_cast<off_t>(place) * kChunkBytes;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count =
        ::pread(file.Get(), bytes.get() + done, size - done, begin + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Fail(ErrorCode::kUnavailable,
                  "cannot be read: " + std::generic_category().message(errno));
    }
    if (count == 0) return Fail(ErrorCode::kUnavailable, "ends too early");
    done += static_cast<std::size_t>(count);
  }
  const std::string_view whole(bytes.get(), size);
  return Chunk(SharedBytes(std::move(bytes), {whole}));
}

Result<FileContent> ReadContent(const platform::FileDescriptor& file, std::int64_t size_bytes) {
  FileContent content{size_bytes, {}};
  const std::size_t count = ChunkCount(size_bytes);
  content.chunks.reserve(count);
  for (std::size_t place = 0; place < count; ++place) {
    const auto chunk = ReadChunk(file, size_bytes, place);
    if (!chunk) return tl::unexpected(chunk.error());
    content.chunks.push_back(chunk->Digest());
  }
  return content;
}

bool HasContent(const platform::FileDescriptor& file, const FileContent& content) {
  struct stat status {};
  if (::fstat(file.Get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (status.st_size != content.size_bytes || !IsConsistent(content)) return false;
  for (std::size_t place = 0; place < content.chunks.size(); ++place) {
    const auto chunk = ReadChunk(file, content.size_bytes, place);
    if (!chunk || chunk->Digest() != content.chunks[place]) return false;
  }
  return true;
}

int Append(const platform::FileDescriptor& file, const SharedBytes& bytes) {
  std::vector<iovec> parts;
  for (const std::string_view part : bytes.Parts()) {
    parts.push_back({const_cast<char*>(part.data()), part.size()});  // writev does not change them
  }
  std::span<iovec> left(parts);
  while (!left.empty()) {
    const auto count = std::min<std::size_t>(left.size(), IOV_MAX);
    const ssize_t written = ::writev(file.Get(), left.data(), static_cast<int>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    auto done = static_cast<std::size_t>(written);
    while (!left.empty() && done >= left.front().iov_len) {
      done -= left.front().iov_len;
      left = left.subspan(1);
    }
    if (left.empty()) break;
    left.front().iov_base = static_cast<char*>(left.front().iov_base) + done;
    left.front().iov_len -= done;
  }
  return 0;
}

}  // namespace evenkeel::files
