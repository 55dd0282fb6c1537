#include "coordinator/service/epoch_hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::coordinator {

EpochHmac::EpochHmac(std::string key) : key_(std::move(key)) {}

std::string EpochHmac::Tag(std::uint64_t epoch) const {
  // Separates this use of the key from others.
  std::string message = "evenkeel epoch ";
  message += std::to_string(epoch);
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  const unsigned char* made = HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), bytes,
                                   message.size(), code.data(), &size);
  EVENKEEL_CHECK(made != nullptr, "HMAC-SHA-256 failed");
  return {code.begin(), code.begin() + size};
}

bool EpochHmac::IsTagOf(std::uint64_t epoch, const std::string& tag) const {
  const std::string expected = Tag(epoch);
  return tag.size() == expected.size() &&
         CRYPTO_memcmp(tag.data(), expected.data(), expected.size()) == 0;
}

}  // namespace evenkeel::coordinator
