#include "core/protocol/sha256.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <memory>

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

Sha256Digest Sha256Of(const SharedBytes& bytes) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(),
                                                                          &::EVP_MD_CTX_free);
  bool good =
      context != nullptr && ::EVP_DigestInit_ex(context.get(), ::EVP_sha256(), nullptr) == 1;
  for (const std::string_view part : bytes.Parts()) {
    good = good && ::EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  Sha256Digest digest;
  auto* const to = static_cast<unsigned char*>(static_cast<void*>(digest.data()));
  good = good && ::EVP_DigestFinal_ex(context.get(), to, nullptr) == 1;
  EVENKEEL_CHECK(good, "OpenSSL has no SHA-256");
  return digest;
}

}  // namespace evenkeel::protocol
