#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "files/file_content.h"

namespace evenkeel::files {

/// Bytes of a file with three chunks.
inline constexpr std::size_t kLarge = 2 * kChunkBytes + 1000;

/// Bytes that differ between seeds and from chunk to chunk.
inline std::string SampleBytes(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  for (std::size_t n = 0; n < size; ++n) {
    bytes[n] = static_cast<char>(seed * 31 + n * 7 + (n >> 16));
  }
  return bytes;
}

inline void WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string ChunkOf(const std::string& bytes, std::size_t place) {
  constexpr auto kChunk = static_cast<std::size_t>(kChunkBytes);
  return bytes.substr(place * kChunk, kChunk);
}

/// A fetched chunk with these bytes.
inline Chunk MakeChunk(std::string bytes) { return Chunk(SharedBytes(std::move(bytes))); }

/// The content that a file of these bytes has.
inline FileContent ContentOfBytes(const std::string& bytes) {
  FileContent content{static_cast<std::int64_t>(bytes.size()), {}};
  for (std::size_t place = 0; place < ChunkCount(content.size_bytes); ++place) {
    content.chunks.push_back(protocol::Sha256Of(ChunkOf(bytes, place)));
  }
  return content;
}

}  // namespace evenkeel::files
