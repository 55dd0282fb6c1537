#include "core/protocol/sha256.h"

#include <openssl/sha.h>

#include "core/base/check.h"

namespace evenkeel::protocol {

Sha256Digest Sha256Of(std::string_view bytes) {
  Sha256Digest digest;
  const auto* const from =
      static_cast<const unsigned char*>(static_cast<const void*>(bytes.data()));
  auto* const to = static_cast<unsigned char*>(static_cast<void*>(digest.data()));
  EVENKEEL_CHECK(::SHA256(from, bytes.size(), to) != nullptr, "OpenSSL has no SHA-256");
  return digest;
}

}  // namespace evenkeel::protocol
