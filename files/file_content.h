#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/shared_bytes.h"
#include "core/protocol/sha256.h"
#include "platform/file_descriptor.h"

namespace evenkeel::files {

using protocol::Sha256Digest;

/// Bytes of each chunk of a file; the last one may be shorter.
inline constexpr std::int64_t kChunkBytes = std::int64_t{4} << 20;

/// The content of a file. An empty file has no chunks.
struct FileContent {
  std::int64_t size_bytes = 0;
  std::vector<Sha256Digest> chunks;  ///< digest of each chunk, in order

  friend bool operator==(const FileContent&, const FileContent&) = default;
};

/// Number of chunks of a file.
[[nodiscard]] std::size_t ChunkCount(std::int64_t size_bytes);
/// Bytes of the chunk at `place`, which is below ChunkCount(size_bytes).
[[nodiscard]] std::int64_t ChunkBytes(std::int64_t size_bytes, std::size_t place);
/// Whether the content has as many chunks as its size requires.
[[nodiscard]] bool IsConsistent(const FileContent& content);

/// A number for a file of this size that was changed last at this time (since 1970). Says, without
/// reading any file, whether two are probably the same one; seldom wrongly.
[[nodiscard]] std::uint64_t VersionKey(std::int64_t size_bytes, std::int64_t modified_nanoseconds);

/// A digest as 64 hexadecimal digits.
[[nodiscard]] std::string HexOf(const Sha256Digest& digest);
/// The content as bytes; contents that differ have bytes that differ.
[[nodiscard]] std::string Encode(const FileContent& content);
/// The content that was encoded; none if the bytes are something else.
[[nodiscard]] std::optional<FileContent> DecodeContent(std::string_view bytes);
/// One digest for the whole content: that of its encoded bytes.
[[nodiscard]] Sha256Digest DigestOf(const FileContent& content);

/// The bytes of a chunk, and their digest.
class Chunk {
 public:
  /// Computes the digest.
  explicit Chunk(SharedBytes bytes)
      : bytes_(std::move(bytes)), digest_(protocol::Sha256Of(bytes_)) {}
  /// The bytes have been found to have this digest.
  Chunk(SharedBytes bytes, const Sha256Digest& digest)
      : bytes_(std::move(bytes)), digest_(digest) {}

  [[nodiscard]] const SharedBytes& Bytes() const { return bytes_; }
  [[nodiscard]] const Sha256Digest& Digest() const { return digest_; }

 private:
  SharedBytes bytes_;
  Sha256Digest digest_;
};

/// Reads the chunk at `place` of a file of `size_bytes`, as one part. kUnavailable: the file cannot
/// be read, or ends earlier.
[[nodiscard]] Result<Chunk> ReadChunk(const platform::FileDescriptor& file, std::int64_t size_bytes,
                                      std::size_t place);
/// The content of the first `size_bytes` of a file. Holds one chunk in memory. Errors: those of
/// ReadChunk.
[[nodiscard]] Result<FileContent> ReadContent(const platform::FileDescriptor& file,
                                              std::int64_t size_bytes);
/// Whether the file has exactly this content. False if it cannot be read.
[[nodiscard]] bool HasContent(const platform::FileDescriptor& file, const FileContent& content);
/// Writes the bytes of the chunk at `place` of a file. Returns 0 or an errno.
[[nodiscard]] int WriteChunk(const platform::FileDescriptor& file, std::size_t place,
                             const SharedBytes& bytes);

}  // namespace evenkeel::files
