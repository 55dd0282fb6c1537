#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evenkeel::workloads {

/// Appends the 8 bytes of `word`, lowest first, whatever the machine's own order.
inline void AppendLittleEndian(std::uint64_t word, std::string& bytes) {
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(word >> shift)));
  }
}

/// The 8 bytes from `at` on, lowest first; they must be there.
[[nodiscard]] inline std::uint64_t ReadLittleEndian(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t n = 0; n < 8; ++n) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + n])) << (8 * n);
  }
  return word;
}

}  // namespace evenkeel::workloads
