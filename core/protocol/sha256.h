#pragma once

#include <array>
#include <string_view>

namespace evenkeel::protocol {

/// A SHA-256 digest (FIPS 180-4). Unlike Digest it resists forgery.
using Sha256Digest = std::array<char, 32>;

/// The digest of `bytes`. Thread-safe.
[[nodiscard]] Sha256Digest Sha256Of(std::string_view bytes);

}  // namespace evenkeel::protocol
