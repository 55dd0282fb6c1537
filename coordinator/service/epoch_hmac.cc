#include "coordinator/service/epoch_hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "core/base/check.h"

namespace evenkeel::coordinator {

namespace {

std::string TagBy(const std::string& key, std::uint64_t epoch) {
  // Separates this use of the key from others.
  std::string message = "evenkeel epoch ";
  message += std::to_string(epoch);
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
  const unsigned char* made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes,
                                   message.size(), code.data(), &size);
  EVENKEEL_CHECK(made != nullptr, "HMAC-SHA-256 failed");
  return {code.begin(), code.begin() + size};
}

}  // namespace

std::string EpochHmac::Tag(std::uint64_t epoch) const { return TagBy(keys_().front(), epoch); }

bool EpochHmac::IsTagOf(std::uint64_t epoch, const std::string& tag) const {
  bool is_known = false;
  for (const std::string& key : keys_()) {
    const std::string expected = TagBy(key, epoch);
    is_known = (tag.size() == expected.size() &&
                CRYPTO_memcmp(tag.data(), expected.data(), expected.size()) == 0) ||
               is_known;
  }
  return is_known;
}

}  // namespace evenkeel::coordinator
