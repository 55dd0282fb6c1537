#include "files/file_content.h"

#include <absl/strings/escaping.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>

#include "core/base/splitmix.h"

namespace evenkeel::files {
namespace {

constexpr char kSizeEnd = ':';  // in an encoded content, after the size

}  // namespace

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

std::string Encode(const FileContent& content) {
  std::string bytes = std::to_string(content.size_bytes) + kSizeEnd;
  for (const Sha256Digest& chunk : content.chunks) bytes.append(chunk.data(), chunk.size());
  return bytes;
}

std::optional<FileContent> DecodeContent(std::string_view bytes) {
  std::uint64_t size_bytes = 0;
  const char* const end = bytes.data() + bytes.size();
  const auto read = std::from_chars(bytes.data(), end, size_bytes);
  if (read.ec != std::errc{} || read.ptr == end || *read.ptr != kSizeEnd) return std::nullopt;
  if (size_bytes > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  FileContent content{static_cast<std::int64_t>(size_bytes), {}};
  bytes.remove_prefix(static_cast<std::size_t>(read.ptr + 1 - bytes.data()));
  constexpr std::size_t kDigestBytes = std::tuple_size_v<Sha256Digest>;
  if (bytes.size() % kDigestBytes != 0) return std::nullopt;
  if (bytes.size() / kDigestBytes != ChunkCount(content.size_bytes)) return std::nullopt;
  content.chunks.resize(bytes.size() / kDigestBytes);
  for (Sha256Digest& chunk : content.chunks) {
    bytes.copy(chunk.data(), chunk.size());
    bytes.remove_prefix(chunk.size());
  }
  return content;
}

Sha256Digest DigestOf(const FileContent& content) { return protocol::Sha256Of(Encode(content)); }

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

int WriteChunk(const platform::FileDescriptor& file, std::size_t place, const SharedBytes& bytes) {
  std::vector<iovec> parts;
  for (const std::string_view part : bytes.Parts()) {
    parts.push_back({const_cast<char*>(part.data()), part.size()});  // pwritev does not change them
  }
  off_t offset = static_cast<off_t>(place) * kChunkBytes;
  std::span<iovec> left(parts);
  while (!left.empty()) {
    const auto count = std::min<std::size_t>(left.size(), IOV_MAX);
    const ssize_t written = ::pwritev(file.Get(), left.data(), static_cast<int>(count), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    offset += written;
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
