#pragma once

#include <array>
#include <string_view>

#include "core/base/shared_bytes.h"

namespace evenkeel::protocol {

/// A SHA-256 digest (FIPS 180-4). Unlike Digest it resists forgery.
using Sha256Digest = std::array<char, 32>;

/// The digest of `bytes`. Thread-safe.
[[nodiscard]] Sha256Digest Sha256Of(std::string_view bytes);
/// The digest of all parts together.
[[nodiscard]] Sha256Digest Sha256Of(const SharedBytes& bytes);

}  // namespace evenkeel::protocol
