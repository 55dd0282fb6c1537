#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evenkeel {

/// FNV-1a with 64 bits (Fowler, Noll and Vo): detects changes, does not resist forgery.
class Digest {
 public:
  void Add(std::string_view bytes);
  /// Separates parts of variable length: add the size before the bytes.
  void AddSize(std::uint64_t size);
  [[nodiscard]] std::uint64_t Value() const { return state_; }
  /// The digest as text, e.g. "fnv1a:00000000000000ff".
  [[nodiscard]] std::string Text() const;

 private:
  void Add(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3U; }
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// The digest of one text.
[[nodiscard]] std::string DigestOf(std::string_view text);

}  // namespace evenkeel
