#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace evenkeel {

/// FNV-1a of 64 bits (Fowler, Noll and Vo): finds changes, is no proof against forgery.
class Digest {
 public:
  void Add(std::string_view bytes);
  /// So that parts of different lengths do not run into each other.
  void AddSize(std::uint64_t size);
  /// Such as "fnv1a:00000000000000ff".
  [[nodiscard]] std::string Text() const;

 private:
  void Add(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3U; }
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

/// Of one text.
[[nodiscard]] std::string DigestOf(std::string_view text);

}  // namespace evenkeel
